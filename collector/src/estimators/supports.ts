/** From a tally's cells to the support of each answer: how many reports, of all cohorts, speak for it. */

import { type ListLaw, mechanismOf } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';

/** The definition: adds, for each answer, the cells that support it. */
export function addSupports(law: ListLaw, tallies: Tallies): Float64Array {
  const { supporting = (_law, _cohort, answer) => [answer] } = mechanismOf(law);
  return Float64Array.from({ length: law.size }, (_, answer) => {
    let support = 0;
    for (const [cohort, { cells }] of tallies) for (const cell of supporting(law, cohort, answer)) support += cells[cell] as number;
    return support;
  });
}

/** How many reports there are in all cohorts. */
export const reportsIn = (tallies: Tallies): number => [...tallies.values()].reduce((sum, { reports }) => sum + reports, 0);
