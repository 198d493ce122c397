/** Estimators by mechanism: tally to estimates. The law comes from the schema document, integer by integer. */

import { cellsOf, type DistributionLaw, type Law, type ListLaw, type NumberLaw } from '@murmuration/shared';
import type { Tallies, Tally } from '../store/store.ts';
import type { Distribution } from './distribution.ts';
import { lowerHalf } from './distribution-estimation.ts';
import type { Estimate } from './estimate.ts';
import type { EstimateInput } from './estimate-input.ts';
import type { Scores } from './number.ts';
import { THESE } from './people.ts';
import { reportsIn } from './supports.ts';
import { estimationOf } from './table.ts';

/** How many reports there are, and how many of them support each answer. */
export const supportsOf = (law: ListLaw, tallies: Tallies): Tally => ({
  reports: reportsIn(tallies),
  cells: estimationOf(law).supports(law, tallies),
});

/** How a law's outputs tell a number. */
export const scoresOf = (law: NumberLaw): Scores => estimationOf(law).scores(law);

/** What the tallies of a law of distributions tell, of a population from which so many people were drawn; undefined without reports. */
export const distributionOf = (law: DistributionLaw, tallies: Tallies, people: number = THESE): Distribution | undefined =>
  estimationOf(law).distribution(law, tallies, people);

/** The variance of one report's estimate of the share below the middle of the range, of numbers that are spread evenly. */
export const evenVariance = (law: DistributionLaw): number => estimationOf(law).even(law, lowerHalf(cellsOf(law)));

/**
 * The estimates of a metric: in the order of its answers, of sets with the dummies after them, of its cells, or of the
 * candidates; of a number its mean alone. None without reports.
 */
export const estimatesOf = (law: Law, input: EstimateInput): Estimate[] => estimationOf(law).estimates(law, input);
