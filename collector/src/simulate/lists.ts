/** The laws and the shipping randomizers of the lists that are simulated, by the names of `--mechanism`. */

import { choice, permanent } from '@murmuration/client';
import {
  countMeanSketch,
  dBitFlip,
  hadamard,
  hadamardCountMeanSketch,
  localHashing,
  projective,
  unary,
} from '@murmuration/client/mechanisms';
import {
  countMeanSketchLaw,
  dBitFlipLaw,
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  kAryLaw,
  type ListLaw,
  localHashingLaw,
  longListLaw,
  meanVariance,
  permanentKAryLaw,
  permanentListLaw,
  projectiveLaw,
  subsetIdeal,
  subsetLaw,
  symmetricUnaryLaw,
  unaryLaw,
} from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import type { Randomizing } from './round.ts';
import type { Simulation } from './simulation.ts';

/** What to simulate. */
export interface ChoiceSimulation extends Simulation {
  readonly answers: number;
  /** Of dBitFlip: for how many answers a report has a bit. */
  readonly bits?: number;
}

/** The subset size of least mean variance: the lower bound of linear symmetric estimators (Pan 2026, arXiv 2603.11523). */
export function optimum(size: number, epsilon: number): { readonly subset: number; readonly variance: number } {
  let best = { subset: 1, variance: Number.POSITIVE_INFINITY };
  for (let subset = 1; subset < size; subset++) {
    const variance = meanVariance(size, subsetIdeal(size, subset, epsilon));
    if (variance < best.variance) best = { subset, variance };
  }
  return best;
}

/** The laws of one report that can be named. */
const laws: { readonly [name: string]: (answers: number, epsilon: number) => ListLaw } = {
  'k-ary': kAryLaw,
  subset: (answers, epsilon) => {
    if (answers < 3) throw new UsageError(`--mechanism subset: expected at least 3 answers, got ${answers}`);
    return subsetLaw(answers, Math.max(2, optimum(answers, epsilon).subset), epsilon);
  },
  unary: unaryLaw,
  'symmetric-unary': symmetricUnaryLaw,
  'local-hashing': localHashingLaw,
  'binary-local-hashing': (answers, epsilon) => localHashingLaw(answers, epsilon, undefined, 2),
  hadamard: hadamardLaw,
  projective: projectiveLaw,
  'count-mean-sketch': countMeanSketchLaw,
  'hadamard-count-mean-sketch': hadamardCountMeanSketchLaw,
};

/** Those with a second stage. */
const permanentLaws: { readonly [name: string]: (answers: number, epsilon: number, permanent: number) => ListLaw } = {
  'k-ary': permanentKAryLaw,
  unary: unaryLaw,
  'symmetric-unary': symmetricUnaryLaw,
  'local-hashing': localHashingLaw,
  'binary-local-hashing': (answers, epsilon, permanent) => localHashingLaw(answers, epsilon, permanent, 2),
};

const D_BIT_FLIP = 'd-bit-flip';

/** Names of `--mechanism` that need no other option. */
export const MECHANISM_NAMES: string = Object.keys(laws).join(', ');

function bitsOf({ answers, bits }: ChoiceSimulation): number {
  if (bits === undefined) throw new UsageError('--mechanism d-bit-flip: expected --bits, got none');
  if (bits > answers) throw new UsageError(`--bits: expected at most as many as there are answers, ${answers}, got ${bits}`);
  return bits;
}

/**
 * The law of a simulation.
 *
 * @throws {UsageError} when no mechanism has the name, or it has no second stage and one is wanted
 * @throws {RangeError} when 32 bits can't hold it
 */
export function lawOf(simulation: ChoiceSimulation): ListLaw {
  const { answers, epsilon, mechanism, permanent: epoch, bits } = simulation;
  if (mechanism === D_BIT_FLIP) return dBitFlipLaw(answers, bitsOf(simulation), epsilon, epoch);
  if (bits !== undefined) throw new UsageError(`--bits: expected --mechanism ${D_BIT_FLIP} with it, got ${mechanism ?? 'none'}`);
  const named = epoch === undefined ? laws : permanentLaws;
  if (mechanism !== undefined && !Object.hasOwn(named, mechanism)) {
    const names = [...Object.keys(named), D_BIT_FLIP].join(', ');
    const where = epoch === undefined ? '' : ' where --permanent is given';
    throw new UsageError(`--mechanism: expected one of ${names}${where}, got ${JSON.stringify(mechanism)}`);
  }
  if (epoch === undefined)
    return mechanism === undefined ? longListLaw(answers, epsilon) : (laws[mechanism] as typeof kAryLaw)(answers, epsilon);
  return (mechanism === undefined ? permanentListLaw : (permanentLaws[mechanism] as typeof permanentListLaw))(answers, epsilon, epoch);
}

const asked = choice(['a', 'b'], { epsilon: 1, description: 'only its randomizers are used' });

/** The shipping randomizers of a law, with those of its second stage. */
export function randomizersOf(law: ListLaw): Randomizing {
  const named = [
    asked,
    ...[unary, localHashing, hadamard, projective, countMeanSketch, hadamardCountMeanSketch].map((mechanism) => mechanism()),
    dBitFlip({ bits: 1 }),
  ];
  const { randomizers, respond } = named.find(({ randomizers }) => randomizers[law.mechanism]) as (typeof named)[number];
  return permanent({ ...asked, randomizers, ...(respond && { respond }) }, { epsilon: 1, renew: 'never' });
}
