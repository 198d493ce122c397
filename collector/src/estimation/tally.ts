/** Tallies: the evidence that estimates come from, as sums of reports; and the support of each answer in them. */

import { type ListLaw, mechanismOf } from '@murmuration/shared';

/** The evidence of one cohort: the number of reports, and for each cell the number of reports that support it. */
export interface Tally {
  readonly reports: number;
  readonly cells: Float64Array;
}

/** The evidence of a metric, by cohort. */
export type Tallies = ReadonlyMap<number, Tally>;

/** The number of reports of one day by how many ones they have, over all cohorts and segments. */
export interface DailyOnes {
  readonly day: number;
  readonly reports: ReadonlyMap<number, number>;
}

/** Reports of a day, or of a month that is kept as a whole, which a selection leaves out. */
export interface Excluded {
  readonly from: number;
  readonly to: number;
  readonly reports: number;
}

/** The evidence of a selection, read in one snapshot. */
export interface Evidence {
  readonly tallies: Tallies;
  readonly reports: number;
  /** First and last day with reports; null without any. */
  readonly from: number | null;
  readonly to: number | null;
  /** Reports of the selected days by how many ones they have, over all segments. Only for bit vectors whose number of ones varies. */
  readonly ones: readonly DailyOnes[];
  /** Left out on request, in the order of their days. Only where something was. */
  readonly excluded?: readonly Excluded[];
}

/** The support of each answer, which is the number of reports over all cohorts that support it, by definition: the sum of its cells. */
export function addSupports(law: ListLaw, tallies: Tallies): Float64Array {
  const { supporting = (_law, _cohort, answer) => [answer] } = mechanismOf(law);
  return Float64Array.from({ length: law.size }, (_, answer) => {
    let support = 0;
    for (const [cohort, { cells }] of tallies) for (const cell of supporting(law, cohort, answer)) support += cells[cell] as number;
    return support;
  });
}

/** The number of reports in all cohorts. */
export const reportsIn = (tallies: Tallies): number => [...tallies.values()].reduce((sum, { reports }) => sum + reports, 0);
