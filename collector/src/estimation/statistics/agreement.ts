/** Tests whether estimates agree with a known truth: one statistic for all answers, with its p-value under "the law is right". */

import { CLEAR, isStringLaw } from '@murmuration/shared';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { type MomentsLaw, momentsOf } from '../covariance.ts';
import type { Estimate } from '../estimate.ts';
import { estimationOf } from '../mechanisms/table.ts';
import type { Population } from '../moments.ts';
import { isFitting } from '../string-fit.ts';
import { chiSquaredTail } from './chi-squared.ts';

/** The agreement of estimates and truth. */
export interface Agreement {
  /** Root mean squared error, and its expectation under the law. */
  readonly rmse: number;
  readonly expectedRmse: number;
  /** The squared distance from the law's expectation, eᵀ Cov⁺ e: a sum of independent squared z-scores. */
  readonly z2: number;
  readonly df: number;
  readonly pValue: number;
  /** The share of answers whose 95 % interval holds the truth. */
  readonly coverage95: number;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/**
 * Which candidates are fitted together (string-fit.ts). Whether one near the limit is counted as fitted moves another one's error by a
 * hundredth of its standard deviation.
 */
const fittedOf = (law: MomentsLaw, estimates: readonly Estimate[]): readonly boolean[] =>
  estimates.map(
    ({ estimate, standardError }) => isStringLaw(law) && isFitting(estimationOf(law).bloom(law)) && estimate > CLEAR * standardError,
  );

/** Compares a metric's estimates with the truth. The covariance is exact, so it accounts for the dependence between estimates. */
export function agreement(law: MomentsLaw, estimates: readonly Estimate[], of: Population): Agreement {
  const population = { fitted: fittedOf(law, estimates), ...of };
  const { counts, others } = population;
  const n = [...counts, ...others.values()].reduce((sum, count) => sum + count, 0);
  const truth = counts.map((count) => count / n);
  const { mean: expected, covariance, rank } = momentsOf(law, population);
  const errors = estimates.map(({ estimate }, i) => estimate - (expected[i] as number)).slice(0, rank);
  const column = Matrix.columnVector(errors);
  const solved = new CholeskyDecomposition(covariance.subMatrix(0, rank - 1, 0, rank - 1)).solve(column);
  const z2 = column.dot(solved);
  const expectedSquares = expected.map((value, i) => covariance.get(i, i) + (value - (truth[i] as number)) ** 2);
  return {
    rmse: Math.sqrt(mean(estimates.map(({ estimate }, i) => (estimate - (truth[i] as number)) ** 2))),
    expectedRmse: Math.sqrt(mean(expectedSquares)),
    z2,
    df: rank,
    pValue: chiSquaredTail(z2, rank),
    coverage95: mean(estimates.map(({ low, high }, i) => Number(low <= (truth[i] as number) && (truth[i] as number) <= high))),
  };
}
