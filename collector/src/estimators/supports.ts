/** From a tally's cells to the support of each answer: how many reports, of all cohorts, speak for it. */

import { type ListLaw, mechanismOf } from '@murmuration/shared';
import type { Tallies, Tally } from '../store/store.ts';
import { cohortSupports } from './cohorts.ts';
import { hadamardSupports } from './hadamard.ts';
import { hadamardCountMeanSketchSupports } from './hadamard-count-mean-sketch.ts';
import { projectiveSupports } from './projective.ts';

type Transform<L> = (law: L, tallies: Tallies) => Float64Array;

/** A mechanism whose answers have a cell each needs no transform; any other has one that beats adding cells answer by answer. */
const transforms: { readonly [M in ListLaw['mechanism']]?: Transform<Extract<ListLaw, { mechanism: M }>> } = {
  'local-hashing': ({ size, buckets }, tallies) =>
    cohortSupports(size, buckets, (cohort) => tallies.get(0)?.cells.subarray(cohort * buckets, (cohort + 1) * buckets)),
  hadamard: hadamardSupports,
  projective: projectiveSupports,
  'count-mean-sketch': ({ size, bits }, tallies) => cohortSupports(size, bits, (cohort) => tallies.get(cohort)?.cells),
  'hadamard-count-mean-sketch': hadamardCountMeanSketchSupports,
};

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

/** How many reports there are, and how many of them support each answer. */
export function supportsOf(law: ListLaw, tallies: Tallies): Tally {
  const transform = transforms[law.mechanism] as Transform<ListLaw> | undefined;
  return { reports: reportsIn(tallies), cells: (transform ?? addSupports)(law, tallies) };
}
