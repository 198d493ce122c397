/** The tallies of a fleet whose devices each have a string: every device's report is drawn, as the client draws it. */

import { bucketOf, familyOf, MODULUS, type PrefixHashingLaw, placeOfText } from '@murmuration/shared';
import type { Tallies } from '#collector/estimation/tally.ts';
import { sampler } from '#collector/planning/simulate/simulation.ts';

/** Strings and how many devices have each. */
export type Fleet = readonly (readonly [text: string, devices: number])[];

/** Draws the strings of so many devices. */
export function fleetOf(texts: readonly string[], shares: readonly number[], devices: number, word: () => number): Fleet {
  const draw = sampler(shares, () => word() / MODULUS);
  const counts = new Map<number, number>();
  for (let device = 0; device < devices; device++) {
    const own = draw();
    counts.set(own, (counts.get(own) ?? 0) + 1);
  }
  return [...counts].map(([own, count]) => [texts[own] as string, count]);
}

/** The integers of local hashing over places, in each of several groups of devices. */
export type Oracle = Pick<PrefixHashingLaw, 'places' | 'buckets' | 'truth'>;

/** The tallies of their reports: each device draws a group, and reports the place that its string has there. */
export function groupTallies(
  { places, buckets, truth }: Oracle,
  groups: number,
  fleet: Fleet,
  placeOf: (group: number, text: string) => number,
  word: () => number,
): Tallies {
  const { cohorts } = familyOf(places, buckets);
  const below = (n: number): number => Math.floor((word() * n) / MODULUS);
  const tallies = Array.from({ length: groups }, () => ({ reports: 0, cells: new Float64Array(cohorts * buckets) }));
  for (const [text, devices] of fleet) {
    const own = tallies.map((_, group) => placeOf(group, text));
    for (let device = 0; device < devices; device++) {
      const group = below(groups);
      const tally = tallies[group] as (typeof tallies)[number];
      const cohort = below(cohorts);
      const bucket = bucketOf(buckets, cohort, own[group] as number);
      const other = below(buckets - 1);
      const said = word() < truth ? bucket : other < bucket ? other : other + 1;
      const cell = cohort * buckets + said;
      tally.reports++;
      tally.cells[cell] = (tally.cells[cell] as number) + 1;
    }
  }
  return new Map(tallies.entries());
}

/** The tallies of prefix hashing. */
export const talliesOf = (law: PrefixHashingLaw, fleet: Fleet, word: () => number): Tallies =>
  groupTallies(law, law.longest, fleet, (level, text) => placeOfText(law, level, text), word);
