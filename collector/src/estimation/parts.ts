/**
 * Parts that mechanisms of one kind share: `meanByScores` for means, `cellsBy` for distributions, and `byMatrix` for every channel with few
 * outputs. Lists have `pureList` of pure.ts.
 */

import { cellsOf, type DistributionLaw, type Law, type NumberLaw } from '@murmuration/shared';
import { interval, shareOf } from './distribution.ts';
import { THESE } from './estimate.ts';
import type { DistributionEstimation, Estimation, NumberEstimation } from './estimation.ts';
import { matrixFit, type Rows } from './matrices.ts';
import { numberEstimates, type Scores, squaresOf } from './number.ts';
import { ends, ofRows } from './watch/bounds.ts';

/** Caches a function per law, because a range of days asks for the same again and again. */
function once<L extends object, T>(compute: (law: L) => T): (law: L) => T {
  const known = new WeakMap<L, { readonly value: T }>();
  return (law) => {
    const found = known.get(law) ?? { value: compute(law) };
    known.set(law, found);
    return found.value;
  };
}

/**
 * Builds the estimation of a number from the parts specific to its mechanism: the scores of its outputs (number.ts), and its matrix. There
 * is one estimate, the mean, in [0, 1] over the metric's range.
 */
export function meanByScores<L extends NumberLaw>(
  compute: (law: L) => Scores,
  rows: (law: L) => Rows,
): Omit<NumberEstimation<L>, 'named' | 'simulated'> {
  const scores = once(compute);
  const squares = once((law: L) => squaresOf(rows(law), scores(law)));
  return {
    scores,
    estimates: (law, { tallies, people = THESE }) =>
      numberEstimates(scores(law), tallies, people, people === THESE ? squares(law) : undefined),
    ...byMatrix(rows),
    leverage: (law) => ends(Array.from(scores(law).values)),
  };
}

/** Weights that are 1 below the middle of the cells, and 0 above. */
export const lowerHalf = (cells: number): readonly number[] => Array.from({ length: cells }, (_, i) => Number(i < Math.floor(cells / 2)));

/**
 * Builds the estimation of a distribution from the parts specific to its mechanism: an estimate for each cell. The error of the share below the middle represents all
 * errors.
 */
export const cellsBy = <L extends DistributionLaw>(
  distribution: DistributionEstimation<L>['distribution'],
  even: DistributionEstimation<L>['even'],
): Pick<DistributionEstimation<L>, 'distribution' | 'even' | 'estimates' | 'noiseAt'> => ({
  distribution,
  even,
  estimates: (law, { tallies, people = THESE }) => {
    const found = distribution(law, tallies, people);
    return found === undefined ? [] : Array.from({ length: found.cells }, (_, i) => interval(shareOf(found, i, i + 1)));
  },
  noiseAt: (law, reports) => even(law, lowerHalf(cellsOf(law))) / reports,
});

/** The members of an estimation that follow from the matrix alone. */
export const byMatrix = <L extends Law>(rows: (law: L) => Rows): Required<Pick<Estimation<L>, 'rows' | 'bounds' | 'fit'>> => ({
  rows,
  bounds: (law) => ofRows(rows(law)),
  fit: (law, tallies, perDevice) => matrixFit(rows(law), tallies, perDevice),
});
