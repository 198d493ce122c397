/** Common parts of all mechanisms for a number's distribution: one row for each cell. */

import { cellsOf, type DistributionLaw } from '@murmuration/shared';
import { interval, shareOf } from './distribution.ts';
import type { DistributionEstimation } from './estimation.ts';
import { THESE } from './people.ts';

/** Weights that are 1 below the middle of the cells, and 0 above. */
export const lowerHalf = (cells: number): readonly number[] => Array.from({ length: cells }, (_, i) => Number(i < Math.floor(cells / 2)));

/**
 * Builds the estimation of a distribution from the parts specific to its mechanism. The error of the share below the middle represents all
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
