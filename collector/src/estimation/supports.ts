/** From a tally's cells to the support of each answer: the number of reports, over all cohorts, that support it. */

import { type ListLaw, mechanismOf } from '@murmuration/shared';
import type { Tallies } from './tally.ts';

/** The definition: for each answer, the sum of the cells that support it. */
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
