/** The shares of given strings from their prefixes: a string's place at each level, what the tallies of each level say, and estimates. */

import {
  binOf,
  bytesOfText,
  END,
  FIRST_WORD,
  firstWord,
  mechanismOf,
  type PrefixHashingLaw,
  placeOfPrefix,
  SECOND_WORD,
  secondWord,
} from '@murmuration/shared';
import { cohortSupports } from './cohorts.ts';
import { type Estimate, THESE } from './estimate.ts';
import { Z95 } from './statistics/tails.ts';
import type { Tallies } from './tally.ts';

/** A whole string. */
export interface Placed {
  readonly bytes: Uint8Array;
  readonly bin: number;
  /** By level. */
  readonly places: Int32Array;
  /** By level, the words of its prefix. */
  readonly first: Int32Array;
  readonly second: Int32Array;
}

/** The places of a string. */
export function placed({ longest, bins, places }: PrefixHashingLaw, bytes: Uint8Array): Placed {
  const [first, second] = [new Int32Array(longest), new Int32Array(longest)];
  let [one, other] = [FIRST_WORD, SECOND_WORD];
  for (let level = 0; level < longest; level++) {
    if (level <= bytes.length) {
      const symbol = bytes[level] ?? END;
      [one, other] = [firstWord(one, symbol), secondWord(other, symbol)];
    }
    first[level] = one;
    second[level] = other;
  }
  const bin = binOf(one, other, bins);
  return {
    bytes,
    bin,
    first,
    second,
    places: first.map((word, level) => placeOfPrefix(level, bin, word, second[level] as number, places)),
  };
}

/*
 * What the tallies of a discovery say: for each level and place, an estimate of the number of devices there, and its variance.
 *
 * With S supporting reports of n, (S - n q) / (p - q) estimates the devices at a place. One in d of the other devices is there by accident
 * of the hash. So X = (S - n r) / w with r = q + (p - q) / d and w = (p - q) (1 - 1/d) estimates the devices whose strings belong there.
 * Where nobody's does, S is binomial with n and r over the hash, and X has variance n r (1-r) / w².
 */

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

/*
 * The share of a string, from the devices at its place at each level.
 *
 * Some of them are of rare strings with the same first symbols and the same bin, its mates. Their expectation is the mean over the other
 * bins of the devices at the places of this prefix, so that is subtracted. At levels where the prefix is the whole string there are no
 * mates. A level with a place that a frequent prefix shares by chance is far from the others, and is left out.
 *
 * Levels are weighted by their precision. With weights a_l that sum to 1, n_l reports at level l and n in all, the variance has three parts:
 * 1. the randomizer's, Σ a_l² (r (1-r) + f (p (1-p) - q (1-q))) / (n_l w²), and 1 / (B - 1) of r (1-r) / (n_l w²) for the other bins;
 * 2. how many of the string's devices drew each level, f (1-f) (Σ a_l² / n_l - 1 / n), as all levels together have all of them. It is 0 where
 *    a_l = n_l / n;
 * 3. the mates', τ² (1 + 1 / (B - 1)). Mates are mostly the same at successive levels, so τ² is the variance of the weighted sum of levels.
 *    Each other bin has such a sum, and τ² is what those vary more than noise does. It may be large where no level varies clearly.
 */

/** The devices that are not explained yet, by level and place. */
export type Residuals = readonly Float64Array[];

/** A string's share, and the variance of it: constant + slope f. */
export interface Share {
  readonly share: number;
  readonly constant: number;
  readonly slope: number;
}

/** Reading of a level: an estimate of the share, its variance without anybody and for each device, and τ, all relative to its reports. */
interface Reading {
  readonly reports: number;
  readonly share: number;
  readonly constant: number;
  readonly slope: number;
  readonly mates: number;
  /** The devices at the places of the other bins. None where there are no mates. */
  readonly others: readonly number[];
}

/** A level weighs less for its mates only where other bins vary so much more than noise. */
const CLEAR = 2;
/** A level that is so many standard deviations from the others is left out. */
const FAR = 4;

/** The mean, and the variance if there are two values. */
function momentsOf(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: values.length > 1 ? squares / (values.length - 1) : 0 };
}

function readingOf({ law, levels, noise, gain }: Levels, residuals: Residuals, string: Placed, level: number): Reading | undefined {
  const { reports } = levels[level] as Levels['levels'][number];
  if (reports === 0) return undefined;
  const residual = residuals[level] as Float64Array;
  const { p, q } = mechanismOf(law).support(law);
  const own = (residual[string.places[level] as number] as number) / reports;
  const constant = noise / reports;
  const slope = (p * (1 - p) - q * (1 - q)) / gain ** 2 / reports;
  if (level >= string.bytes.length || law.bins === 1) return { reports, share: own, constant, slope, mates: 0, others: [] };
  const others: number[] = [];
  for (let bin = 0; bin < law.bins; bin++) {
    if (bin === string.bin) continue;
    const place = placeOfPrefix(level, bin, string.first[level] as number, string.second[level] as number, law.places);
    others.push((residual[place] as number) / reports);
  }
  const { mean, variance } = momentsOf(others);
  const mates = variance > CLEAR * constant ? Math.sqrt(variance - constant) : 0;
  return { reports, share: own - mean, constant: constant * (1 + 1 / others.length), slope, mates, others };
}

/** τ² of a weighted sum of readings. */
function matesOf(bins: number, noise: number, readings: readonly Reading[], weights: readonly number[]): number {
  const sums = new Array<number>(bins - 1).fill(0);
  let chance = 0;
  readings.forEach(({ others, reports }, i) => {
    const weight = weights[i] as number;
    others.forEach((value, bin) => {
      sums[bin] = (sums[bin] as number) + weight * value;
    });
    if (others.length > 0) chance += (weight ** 2 * noise) / reports;
  });
  return Math.max(0, momentsOf(sums).variance - chance);
}

/** The weighted mean of readings. */
function meanOf({ law: { bins }, noise, reports }: Levels, readings: readonly Reading[]): Share {
  const affected = readings.filter(({ mates }) => mates > 0).length;
  const precisions = readings.map((each) => 1 / (each.constant + affected * each.mates ** 2));
  const total = precisions.reduce((sum, precision) => sum + precision, 0);
  const weights = precisions.map((precision) => precision / total);
  let [share, constant, slope, uneven] = [0, 0, 0, -1 / reports];
  readings.forEach((each, i) => {
    const weight = weights[i] as number;
    share += weight * each.share;
    constant += weight ** 2 * each.constant;
    slope += weight ** 2 * each.slope;
    uneven += weight ** 2 / each.reports;
  });
  const mates = bins > 2 ? matesOf(bins, noise, readings, weights) * (1 + 1 / (bins - 1)) : 0;
  return { share, constant: constant + mates, slope: slope + Math.max(0, uneven) * (1 - Math.min(1, Math.max(0, share))) };
}

/** The share of a string in what is not explained. */
export function shareOf(found: Levels, residuals: Residuals, string: Placed): Share {
  const readings = found.levels.flatMap((_, level) => readingOf(found, residuals, string, level) ?? []);
  const most = readings.length / 2;
  for (let left = 0; left < most; left++) {
    const mean = meanOf(found, readings);
    const f = Math.max(0, mean.share);
    const distances = readings.map(
      (each) =>
        Math.abs(each.share - mean.share) / Math.sqrt(each.constant + each.mates ** 2 + f * (each.slope + each.constant / found.noise)),
    );
    const farthest = Math.max(...distances);
    if (farthest <= FAR || readings.length < 3) return mean;
    readings.splice(distances.indexOf(farthest), 1);
  }
  return meanOf(found, readings);
}

/** A share, if need be moved to 0 or 1. */
export const within = (share: number): number => Math.min(1, Math.max(0, share));

/** The standard error of a share among all users, or with infinitely many people among those who reported. */
export function deviationOf({ share, constant, slope }: Share, people: number): number {
  const f = within(share);
  return Math.sqrt(constant + f * slope + (f * (1 - f)) / people);
}

/** A share with its plain interval. */
export function plain(share: Share, people: number): Estimate {
  const standardError = deviationOf(share, people);
  return { estimate: share.share, standardError, low: share.share - Z95 * standardError, high: share.share + Z95 * standardError };
}

/** The shares of given strings, in their order, whether anybody has them or not. None without reports. */
export function sharesOf(law: PrefixHashingLaw, tallies: Tallies, texts: readonly string[], people: number = THESE): readonly Estimate[] {
  const found = levelsIn(law, tallies);
  if (found.reports === 0) return [];
  const devices = found.levels.map((level) => level.devices);
  return texts.map((text) => plain(shareOf(found, devices, placed(law, bytesOfText(text, law.longest))), people));
}
