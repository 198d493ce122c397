/**
 * The share of a string, from the devices at its place at each level.
 *
 * Some of them are of rare strings with the same first symbols and the same bin, its mates. Their expectation is the mean over the other
 * bins of the devices at the places of this prefix, so that is subtracted. Their variance τ² is what the other bins' devices vary more than
 * noise does. At levels where the prefix is the whole string there are no mates. A level with a place that a frequent prefix shares by
 * chance is far from the others, and is left out.
 *
 * Levels are weighted by their precision. Mates are the same at successive levels, so their part of the variance is that of one sum whose
 * terms vary together.
 */

import { mechanismOf, placeOfPrefix } from '@murmuration/shared';
import type { Levels } from './levels.ts';
import type { Placed } from './prefix.ts';

/** The devices that are not explained yet, by level and place. */
export type Residuals = readonly Float64Array[];

/** A string's share, and the variance of it: constant + slope f. */
export interface Share {
  readonly share: number;
  readonly constant: number;
  readonly slope: number;
}

/** What a level says: an estimate of the share, its variance without anybody and for each device, and τ, all relative to its reports. */
interface Reading {
  readonly share: number;
  readonly constant: number;
  readonly slope: number;
  readonly mates: number;
}

/** Mates are taken to vary only where other bins vary so much more than noise. */
const CLEAR = 2;
/** A level that is so many standard deviations from the others is left out. */
const FAR = 4;

function readingOf({ law, levels, noise, gain }: Levels, residuals: Residuals, string: Placed, level: number): Reading | undefined {
  const { reports } = levels[level] as Levels['levels'][number];
  if (reports === 0) return undefined;
  const residual = residuals[level] as Float64Array;
  const { p, q } = mechanismOf(law).support(law);
  const own = (residual[string.places[level] as number] as number) / reports;
  const constant = noise / reports;
  const slope = (p * (1 - p) - q * (1 - q)) / gain ** 2 / reports;
  const others = law.bins - 1;
  if (level >= string.bytes.length || others === 0) return { share: own, constant, slope, mates: 0 };
  let [sum, squares] = [0, 0];
  for (let bin = 0; bin < law.bins; bin++) {
    if (bin === string.bin) continue;
    const place = placeOfPrefix(level, bin, string.first[level] as number, string.second[level] as number, law.places);
    const there = (residual[place] as number) / reports;
    sum += there;
    squares += there * there;
  }
  const mean = sum / others;
  const variance = others > 1 ? (squares - others * mean * mean) / (others - 1) : 0;
  const mates = variance > CLEAR * constant ? Math.sqrt(variance - constant) : 0;
  return { share: own - mean, constant: constant * (1 + 1 / others), slope, mates };
}

/** The weighted mean of readings. */
function meanOf(readings: readonly Reading[]): Share {
  const affected = readings.filter(({ mates }) => mates > 0).length;
  let [total, share, constant, slope, together] = [0, 0, 0, 0, 0];
  for (const each of readings) {
    const weight = 1 / (each.constant + affected * each.mates ** 2);
    total += weight;
    share += weight * each.share;
    constant += weight ** 2 * each.constant;
    slope += weight ** 2 * each.slope;
    together += weight * each.mates;
  }
  return { share: share / total, constant: (constant + together ** 2) / total ** 2, slope: slope / total ** 2 };
}

/** The share of a string in what is not explained. */
export function shareOf(found: Levels, residuals: Residuals, string: Placed): Share {
  const readings = found.levels.flatMap((_, level) => readingOf(found, residuals, string, level) ?? []);
  const most = readings.length / 2;
  for (let left = 0; left < most; left++) {
    const mean = meanOf(readings);
    const f = Math.max(0, mean.share);
    const distances = readings.map(
      (each) =>
        Math.abs(each.share - mean.share) / Math.sqrt(each.constant + each.mates ** 2 + f * (each.slope + each.constant / found.noise)),
    );
    const farthest = Math.max(...distances);
    if (farthest <= FAR || readings.length < 3) return mean;
    readings.splice(distances.indexOf(farthest), 1);
  }
  return meanOf(readings);
}
