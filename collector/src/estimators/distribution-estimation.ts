/** What every mechanism of a number's distribution has in common: a row for each cell. */

import { cellsOf, type DistributionLaw } from '@murmuration/shared';
import { interval, shareOf } from './distribution.ts';
import type { DistributionEstimation } from './estimation.ts';
import { THESE } from './people.ts';

/** Weights that are 1 below the middle of the cells. */
export const lowerHalf = (cells: number): readonly number[] => Array.from({ length: cells }, (_, i) => Number(i < Math.floor(cells / 2)));

/** The estimation of a distribution but for what is its own. The error of the share below the middle stands for all. */
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
