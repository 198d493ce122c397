/** Estimators by mechanism: tally to estimates. The law comes from the schema document, integer by integer. */

import {
  cellsOf,
  type DistributionLaw,
  type Law,
  type ListLaw,
  mechanismOf,
  type NumberLaw,
  type PrivSetLaw,
  privSet,
} from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { dBitFlipEstimates } from './d-bit-flip.ts';
import { type Distribution, interval, shareOf } from './distribution.ts';
import type { Estimate } from './estimate.ts';
import { exponentialEstimates } from './exponential.ts';
import { geometricScores } from './geometric.ts';
import { hierarchicalDistribution, hierarchicalEven } from './hierarchical.ts';
import { hybridScores } from './hybrid.ts';
import { laplaceScores } from './laplace.ts';
import { numberEstimates, type Scores } from './number.ts';
import { oneBitEstimates, oneBitScores } from './one-bit.ts';
import { THESE } from './people.ts';
import { piecewiseScores } from './piecewise.ts';
import { partEstimates, pureEstimates } from './pure.ts';
import { scoredScores } from './scored.ts';
import { squareWaveDistribution, squareWaveEven } from './square-wave.ts';
import { squaresOf } from './squares.ts';
import { stringEstimates } from './strings.ts';
import { supportsOf } from './supports.ts';

/** What an estimate is made of. */
export interface Question {
  readonly tallies: Tallies;
  /** The most reports of one device in the tallies that repeat one symbol: 1 unless the metric is permanent. */
  readonly perDevice: number;
  /** How many people were drawn from the population (people.ts); left out where estimates are of these very people. */
  readonly people?: number;
  /** The strings to estimate; lists need none. */
  readonly candidates: readonly string[];
}

type Estimator<L> = (law: L, question: Question) => Estimate[];

/** Lists: every answer by the reports that support it. */
const list: Estimator<ListLaw> = (law, { tallies, perDevice, people = THESE }) => {
  const { support } = mechanismOf(law);
  return tallies.size === 0 ? [] : pureEstimates(supportsOf(law, tallies), support(law), support(law, 'permanent'), perDevice, people);
};

/** Sets: a cell for each answer, and for each dummy. Of a set over the limit a device has answers in part. */
const sets: Estimator<PrivSetLaw> = (law, { tallies, people = THESE }) => {
  const tally = tallies.get(0);
  return tally === undefined ? [] : partEstimates(tally, privSet.support(law), people);
};

const scores: { readonly [M in NumberLaw['mechanism']]: (law: Extract<NumberLaw, { mechanism: M }>) => Scores } = {
  piecewise: piecewiseScores,
  geometric: geometricScores,
  'one-bit': oneBitScores,
  hybrid: hybridScores,
  laplace: laplaceScores,
  scored: scoredScores,
};

const known = new WeakMap<NumberLaw, Scores>();

/** How a law's outputs tell a number. */
export function scoresOf(law: NumberLaw): Scores {
  const found = known.get(law) ?? (scores[law.mechanism] as (law: NumberLaw) => Scores)(law);
  known.set(law, found);
  return found;
}

/** One row: the mean, in [0, 1] over the metric's range. */
const number: Estimator<NumberLaw> = (law, { tallies, people = THESE }) => {
  const found = scoresOf(law);
  return numberEstimates(found, tallies, people, people === THESE ? squaresOf(law, found) : undefined);
};

const distributions: {
  readonly [M in DistributionLaw['mechanism']]: (
    law: Extract<DistributionLaw, { mechanism: M }>,
    tallies: Tallies,
    people: number,
  ) => Distribution | undefined;
} = {
  'square-wave': squareWaveDistribution,
  hierarchical: hierarchicalDistribution,
};

/** What the tallies of a law of distributions tell, of a population from which so many people were drawn; undefined without reports. */
export const distributionOf = (law: DistributionLaw, tallies: Tallies, people: number = THESE): Distribution | undefined =>
  (distributions[law.mechanism] as (law: DistributionLaw, tallies: Tallies, people: number) => Distribution | undefined)(
    law,
    tallies,
    people,
  );

/** The variance of one report's estimate of the share below the middle of the range, of numbers that are spread evenly. */
export function evenVariance(law: DistributionLaw): number {
  const size = cellsOf(law);
  const lower = Array.from({ length: size }, (_, i) => Number(i < Math.floor(size / 2)));
  return law.mechanism === 'hierarchical' ? hierarchicalEven(law, lower) : squareWaveEven(law)(lower);
}

/** A row for each cell. */
const cells: Estimator<DistributionLaw> = (law, { tallies, people = THESE }) => {
  const found = distributionOf(law, tallies, people);
  return found === undefined ? [] : Array.from({ length: found.cells }, (_, i) => interval(shareOf(found, i, i + 1)));
};

const estimators: { readonly [M in Law['mechanism']]: Estimator<Extract<Law, { mechanism: M }>> } = {
  'k-ary': list,
  subset: list,
  unary: list,
  privset: sets,
  'local-hashing': list,
  rappor: stringEstimates,
  'string-hashing': stringEstimates,
  piecewise: number,
  geometric: number,
  exponential: exponentialEstimates,
  'd-bit-flip': dBitFlipEstimates,
  'one-bit': oneBitEstimates,
  hybrid: number,
  laplace: number,
  scored: number,
  'square-wave': cells,
  hierarchical: cells,
  hadamard: list,
  projective: list,
  'count-mean-sketch': list,
  'hadamard-count-mean-sketch': list,
};

/**
 * The estimates of a metric: in the order of its answers, of sets with the dummies after them, of its cells, or of the
 * candidates; of a number its mean alone. None without reports.
 */
export const estimatesOf = (law: Law, question: Question): Estimate[] => (estimators[law.mechanism] as Estimator<Law>)(law, question);
