/** Estimators by mechanism: from tallies to estimates. The law comes from the schema document, integer by integer. */

import { cellsOf, type DistributionLaw, type Law, type ListLaw, type NumberLaw } from '@murmuration/shared';
import type { Distribution } from './distribution.ts';
import { lowerHalf } from './distribution-estimation.ts';
import type { Estimate } from './estimate.ts';
import type { EstimateInput } from './estimate-input.ts';
import { estimationOf } from './mechanisms/table.ts';
import type { Scores } from './number.ts';
import { THESE } from './people.ts';
import { reportsIn } from './supports.ts';
import type { Tallies, Tally } from './tally.ts';

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
