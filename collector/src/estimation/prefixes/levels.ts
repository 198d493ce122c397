/**
 * What the tallies of a discovery say: for each level and place, an estimate of the number of devices there, and its variance.
 *
 * With S supporting reports of n, (S - n q) / (p - q) estimates the devices at a place. Of the other devices, one in d is there by accident
 * of the hash. So X = (S - n r) / w with r = q + (p - q) / d and w = (p - q) (1 - 1/d) estimates the devices whose strings belong there.
 * Where nobody's does, S is binomial with n and r over the hash, and X has variance n r (1-r) / w².
 */

import { mechanismOf, type PrefixHashingLaw } from '@murmuration/shared';
import { cohortSupports } from '../cohorts.ts';
import type { Tallies } from '../tally.ts';

/** One level. */
interface Level {
  readonly reports: number;
  /** X by place. */
  readonly devices: Float64Array;
}

/** All levels of a law. */
export interface Levels {
  readonly law: PrefixHashingLaw;
  readonly levels: readonly Level[];
  /** The reports of all levels. */
  readonly reports: number;
  /** r and w. */
  readonly chance: number;
  readonly gain: number;
  /** The variance of X for each report where nobody's string belongs: r (1-r) / w². */
  readonly noise: number;
}

/** The reports of a level that support each place. */
export const levelSupports = ({ places, buckets }: PrefixHashingLaw, cells: Float64Array): Float64Array =>
  cohortSupports(places, buckets, (cohort) => cells.subarray(cohort * buckets, (cohort + 1) * buckets));

/** The devices by level and place. */
export function levelsIn(law: PrefixHashingLaw, tallies: Tallies): Levels {
  const { p, q } = mechanismOf(law).support(law);
  const { longest, places } = law;
  const chance = q + (p - q) / places;
  const gain = (p - q) * (1 - 1 / places);
  const levels = Array.from({ length: longest }, (_, level): Level => {
    const { reports = 0, cells } = tallies.get(level) ?? {};
    if (cells === undefined) return { reports, devices: new Float64Array(places) };
    return { reports, devices: levelSupports(law, cells).map((support) => (support - reports * chance) / gain) };
  });
  const reports = levels.reduce((sum, level) => sum + level.reports, 0);
  return { law, levels, reports, chance, gain, noise: (chance * (1 - chance)) / gain ** 2 };
}
