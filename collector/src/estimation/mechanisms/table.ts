/** The estimation of each mechanism, by name, one line each, in the order in which `simulate` lists them, and estimators by law. */

import { cellsOf, type DistributionLaw, type Law, type ListLaw, type NumberLaw, type StringLaw } from '@murmuration/shared';
import type { Distribution } from '../distribution.ts';
import { type Estimate, type EstimateInput, THESE } from '../estimate.ts';
import type {
  AnswerEstimation,
  AnswerLaw,
  DistributionEstimation,
  Estimation,
  EstimationOf,
  ListEstimation,
  NumberEstimation,
  ShareEstimation,
  StringEstimation,
} from '../estimation.ts';
import type { Scores } from '../number.ts';
import { lowerHalf } from '../parts.ts';
import { reportsIn, type Tallies, type Tally } from '../tally.ts';
import { countMeanSketch } from './count-mean-sketch.ts';
import { dBitFlip } from './d-bit-flip.ts';
import { exponential } from './exponential.ts';
import { geometric } from './geometric.ts';
import { hadamard } from './hadamard.ts';
import { hadamardCountMeanSketch } from './hadamard-count-mean-sketch.ts';
import { hierarchical } from './hierarchical.ts';
import { hybrid } from './hybrid.ts';
import { kAry } from './k-ary.ts';
import { laplace } from './laplace.ts';
import { localHashing } from './local-hashing.ts';
import { oneBit } from './one-bit.ts';
import { piecewise } from './piecewise.ts';
import { prefixHashing } from './prefix-hashing.ts';
import { privSet } from './privset.ts';
import { projective } from './projective.ts';
import { rappor } from './rappor.ts';
import { scored } from './scored.ts';
import { squareWave } from './square-wave.ts';
import { stringHashing } from './string-hashing.ts';
import { subset } from './subset.ts';
import { unary } from './unary.ts';

export const estimations: { readonly [M in Law['mechanism']]: EstimationOf<Extract<Law, { mechanism: M }>> } = {
  'k-ary': kAry,
  subset,
  unary,
  'local-hashing': localHashing,
  hadamard,
  projective,
  'count-mean-sketch': countMeanSketch,
  'hadamard-count-mean-sketch': hadamardCountMeanSketch,
  'd-bit-flip': dBitFlip,
  privset: privSet,
  rappor,
  'string-hashing': stringHashing,
  'prefix-hashing': prefixHashing,
  piecewise,
  hybrid,
  laplace,
  geometric,
  scored,
  'one-bit': oneBit,
  'square-wave': squareWave,
  hierarchical,
  exponential,
};

/** The estimation of a law. */
export function estimationOf(law: AnswerLaw): AnswerEstimation<AnswerLaw>;
export function estimationOf(law: ListLaw): ListEstimation<ListLaw>;
export function estimationOf(law: StringLaw): StringEstimation<StringLaw>;
export function estimationOf(law: NumberLaw): NumberEstimation<NumberLaw>;
export function estimationOf(law: DistributionLaw): DistributionEstimation<DistributionLaw>;
export function estimationOf(law: Exclude<Law, NumberLaw>): ShareEstimation<Exclude<Law, NumberLaw>>;
export function estimationOf(law: Law): Estimation<Law>;
export function estimationOf(law: Law): unknown {
  return estimations[law.mechanism];
}

/** The number of reports, and for each answer the number that support it. */
export const supportsOf = (law: ListLaw, tallies: Tallies): Tally => ({
  reports: reportsIn(tallies),
  cells: estimationOf(law).supports(law, tallies),
});

/** The scores of a law's outputs for a number. */
export const scoresOf = (law: NumberLaw): Scores => estimationOf(law).scores(law);

/** The estimated distribution from the tallies, given how many people were drawn from the population; undefined without reports. */
export const distributionOf = (law: DistributionLaw, tallies: Tallies, people: number = THESE): Distribution | undefined =>
  estimationOf(law).distribution(law, tallies, people);

/** The variance of one report's estimate of the share below the middle of the range, for evenly spread numbers. */
export const evenVariance = (law: DistributionLaw): number => estimationOf(law).even(law, lowerHalf(cellsOf(law)));

/**
 * The estimates of a metric: in the order of its answers (for sets followed by the dummies), of its cells, or of the candidates. For a
 * number, only its mean. Empty without reports.
 */
export const estimatesOf = (law: Law, input: EstimateInput): Estimate[] => estimationOf(law).estimates(law, input);
