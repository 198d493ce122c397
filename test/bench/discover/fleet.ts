/** The tallies of a fleet whose devices each have a string: every device's report is drawn, as the client draws it. */

import { bucketOf, familyOf, MODULUS, type PrefixHashingLaw, placeOfText } from '@murmuration/shared';
import { sampler } from '#collector/simulate/distribution.ts';
import type { Tallies } from '#collector/store/store.ts';

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

/** The tallies of their reports. */
export function talliesOf(law: PrefixHashingLaw, fleet: Fleet, word: () => number): Tallies {
  const { longest, places, buckets, truth } = law;
  const { cohorts } = familyOf(places, buckets);
  const below = (n: number): number => Math.floor((word() * n) / MODULUS);
  const levels = Array.from({ length: longest }, () => ({ reports: 0, cells: new Float64Array(cohorts * buckets) }));
  for (const [text, devices] of fleet) {
    const own = levels.map((_, level) => placeOfText(law, level, text));
    for (let device = 0; device < devices; device++) {
      const level = below(longest);
      const tally = levels[level] as (typeof levels)[number];
      const cohort = below(cohorts);
      const bucket = bucketOf(buckets, cohort, own[level] as number);
      const other = below(buckets - 1);
      const said = word() < truth ? bucket : other < bucket ? other : other + 1;
      const cell = cohort * buckets + said;
      tally.reports++;
      tally.cells[cell] = (tally.cells[cell] as number) + 1;
    }
  }
  return new Map(levels.entries());
}
