/** Simulates a list: the shipping randomizer, codec and estimator over seeded rounds, beside what theory says. */

import {
  choice,
  countMeanSketch,
  hadamard,
  hadamardCountMeanSketch,
  type ListMechanism,
  localHashing,
  projective,
  unary,
} from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  countMeanSketchLaw,
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  kAryLaw,
  type ListLaw,
  listLaw,
  localHashingLaw,
  meanVariance,
  mechanismOf,
  projectiveLaw,
  subsetIdeal,
  subsetLaw,
  symmetricUnaryLaw,
  toBase64url,
  unaryLaw,
} from '@murmuration/shared';
import { UsageError } from '../commands/usage.ts';
import { estimatesOf } from '../estimators/estimator.ts';
import { normSub } from '../estimators/norm-sub.ts';
import { shrunk } from '../estimators/shrunk.ts';
import { Folder } from '../fold/folder.ts';
import { sampler } from './distribution.ts';
import { averageOf, type Simulation } from './simulation.ts';

/** What to simulate. */
export interface ChoiceSimulation extends Simulation {
  readonly answers: number;
}

/** The subset size of least mean variance: the lower bound of linear symmetric estimators (Pan 2026, arXiv 2603.11523). */
function optimum(size: number, epsilon: number): { readonly subset: number; readonly variance: number } {
  let best = { subset: 1, variance: Number.POSITIVE_INFINITY };
  for (let subset = 1; subset < size; subset++) {
    const variance = meanVariance(size, subsetIdeal(size, subset, epsilon));
    if (variance < best.variance) best = { subset, variance };
  }
  return best;
}

/** The laws that can be named. */
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

/** The randomizers of mechanisms that a list names. */
const named: ListMechanism['randomizers'] = Object.assign(
  {},
  ...[unary, localHashing, hadamard, projective, countMeanSketch, hadamardCountMeanSketch].map((mechanism) => mechanism().randomizers),
);

/** Names of `--mechanism`. */
export const MECHANISM_NAMES: string = Object.keys(laws).join(', ');

function lawOf({ answers, epsilon, mechanism }: ChoiceSimulation): ListLaw {
  if (mechanism === undefined) return listLaw(answers, epsilon);
  const derive = Object.hasOwn(laws, mechanism) ? laws[mechanism] : undefined;
  if (!derive) throw new UsageError(`--mechanism: expected one of ${MECHANISM_NAMES}, got ${JSON.stringify(mechanism)}`);
  return derive(answers, epsilon);
}

interface Round {
  readonly unbiased: number;
  readonly shrunk: number;
  readonly normSub: number;
  readonly covered: number;
  readonly clientSeconds: number;
  readonly collectorSeconds: number;
}

const meanSquare = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + (x - (b[i] as number)) ** 2, 0) / a.length;

/** So many reports are held at once: memory does not grow with the number of clients. */
const AT_ONCE = 1_000;

/** One round: draws answers, randomizes each, folds the payloads, estimates, compares with the sample. */
function simulateRound(law: ListLaw, { clients, shares, answers }: ChoiceSimulation, seed: number): Round {
  const word = words(seededRng(seed));
  const coins = createCoins(word);
  const draw = sampler(shares, () => word() / 2 ** 32);
  const values = Int32Array.from({ length: clients }, draw);
  const { randomizers } = choice(['a', 'b'], { epsilon: 1, description: 'only its randomizers are used' });
  const randomize = { ...randomizers, ...named }[law.mechanism] as unknown as (law: ListLaw, index: number, coins: unknown) => Uint8Array;
  const truth = new Float64Array(answers);
  for (const value of values) truth[value] = (truth[value] as number) + 1 / clients;

  const folder = new Folder(mechanismOf(law).shape(law));
  let [clientSeconds, collectorSeconds] = [0, 0];
  for (let first = 0; first < clients; first += AT_ONCE) {
    const started = performance.now();
    const reports = Array.from(values.subarray(first, first + AT_ONCE), (value) => randomize(law, value, coins));
    const randomized = performance.now();
    // As a collector has them: out of a batch's JSON.
    const payloads = JSON.parse(JSON.stringify(reports.map(toBase64url))) as readonly string[];
    const sent = performance.now();
    folder.addPayloads(payloads);
    clientSeconds += (randomized - started) / 1000;
    collectorSeconds += (performance.now() - sent) / 1000;
  }
  const folded = performance.now();
  const estimates = estimatesOf(law, { tallies: folder.tallies(), perDevice: 1, candidates: [] });
  collectorSeconds += (performance.now() - folded) / 1000;

  const shareOf = Array.from(truth);
  const unbiased = estimates.map(({ estimate }) => estimate);
  return {
    unbiased: meanSquare(unbiased, shareOf),
    shrunk: meanSquare(shrunk(estimates), shareOf),
    normSub: meanSquare(normSub(unbiased), shareOf),
    covered: estimates.filter(({ low, high }, i) => low <= (shareOf[i] as number) && (shareOf[i] as number) <= high).length / answers,
    clientSeconds,
    collectorSeconds,
  };
}

/** Runs the rounds; MSE is the mean over answers of (estimate - the sample's own frequency)², then over rounds. */
export function simulateChoice(simulation: ChoiceSimulation): {
  readonly type: 'choice';
  readonly mechanism: string;
  readonly parameters: ListLaw;
  readonly epsilon: number;
  readonly answers: number;
  readonly clients: number;
  readonly rounds: number;
  readonly mse: { readonly unbiased: number; readonly shrunk: number; readonly normSub: number };
  readonly mseStandardError: number | null;
  readonly theoryMse: number;
  readonly optimumMse: number;
  readonly coverage95: number;
  readonly bytesPerReport: number;
  readonly clientMicrosPerReport: number;
  readonly collectorSeconds: number;
} {
  const { answers, epsilon, clients, rounds, seed } = simulation;
  const law = lawOf(simulation);
  const { support, reportBytes } = mechanismOf(law);
  const results = Array.from({ length: rounds }, (_, round) => simulateRound(law, simulation, seed * 1_000_003 + round));
  const mse = averageOf(results.map(({ unbiased }) => unbiased));
  const spread = results.reduce((sum, { unbiased }) => sum + (unbiased - mse) ** 2, 0);
  return {
    type: 'choice',
    mechanism: law.mechanism,
    parameters: law,
    epsilon,
    answers,
    clients,
    rounds,
    mse: {
      unbiased: mse,
      shrunk: averageOf(results.map((result) => result.shrunk)),
      normSub: averageOf(results.map((result) => result.normSub)),
    },
    mseStandardError: rounds > 1 ? Math.sqrt(spread / (rounds - 1) / rounds) : null,
    theoryMse: meanVariance(answers, support(law)) / clients,
    optimumMse: optimum(answers, epsilon).variance / clients,
    coverage95: averageOf(results.map(({ covered }) => covered)),
    bytesPerReport: reportBytes(law),
    clientMicrosPerReport: (averageOf(results.map(({ clientSeconds }) => clientSeconds)) / clients) * 1e6,
    collectorSeconds: averageOf(results.map(({ collectorSeconds }) => collectorSeconds)),
  };
}
