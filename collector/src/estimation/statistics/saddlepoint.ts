/**
 * Quantiles of a sum of independent variables, from its cumulant generating function K(s) = ln E e^{s X}, by the saddlepoint approximation.
 * With w = sign(s) √(2 (s K'(s) - K(s))) and u = s √K''(s), P(X > K'(s)) is the probability that a standard normal variable exceeds
 *   r* = w + ln(u / w) / w
 * The error is relative to the tail, not to 1 (Lugannani and Rice 1980; Barndorff-Nielsen 1986). So it also holds for a sum of which few
 * terms matter, where the normal approximation's quantile is too near to the mean.
 */

import type { Estimate } from '../estimate.ts';
import { endOf, Z95 } from './tails.ts';

/** K(s), K'(s) and K''(s). */
export type Cumulants = readonly [value: number, slope: number, bend: number];

/** r* at s, and its slope there without the slope of the logarithm. */
function normalOf(s: number, [value, slope, bend]: Cumulants): readonly [normal: number, slope: number] {
  const w = Math.sign(s) * Math.sqrt(2 * Math.max(0, s * slope - value));
  const u = s * Math.sqrt(bend);
  return w === 0 || u === 0 ? [w, 0] : [w + Math.log(u / w) / w, (u * u) / (s * w)];
}

/** Tolerance for z, in standard deviations. */
const NEAR = 1e-4;

/**
 * At this many standard deviations from the mean, w and u are still accurate to many digits. A quantile nearer to the mean is replaced by
 * the mean.
 */
const LEAST = 1e-3;

/**
 * The x that X exceeds (for negative z: falls short of) as rarely as a standard normal variable exceeds z. If the variable ends before
 * that, returns its end, as nearly as `most`, the largest |s|, can locate it. If X exceeds even its mean more rarely, returns the mean.
 * Uses Newton's method within a bracket, and bisection when Newton leaves the bracket; r* is nearly linear in s.
 */
export function quantileAt(z: number, most: number, cumulantsAt: (s: number) => Cumulants): number {
  const [side, target] = [Math.sign(z), Math.abs(z)];
  const [, mean, variance] = cumulantsAt(0);
  if (!(variance > 0)) return mean;
  let last: Cumulants = [0, mean, variance];
  const lackAt = (s: number): readonly [lack: number, slope: number] => {
    last = cumulantsAt(side * s);
    const [normal, slope] = normalOf(side * s, last);
    return [side * normal - target, slope];
  };
  const deviation = Math.sqrt(variance);
  let from = Math.min(most, LEAST / deviation);
  if (lackAt(from)[0] >= 0) return last[1];
  let to = Math.min(most, target / deviation);
  let [lack, slope] = lackAt(to);
  while (lack < 0 && to < most) {
    [from, to] = [to, Math.min(most, 2 * to)];
    [lack, slope] = lackAt(to);
  }
  if (lack < 0) return last[1];
  let at = to;
  for (let step = 0; Math.abs(lack) > NEAR && step < 60; step++) {
    const next = at - lack / slope;
    at = next > from && next < to ? next : (from + to) / 2;
    [lack, slope] = lackAt(at);
    if (lack > 0) to = at;
    else from = at;
  }
  return last[1];
}

/** A variable with finitely many values, each with its probability. */
export interface Atoms {
  readonly values: Float64Array;
  readonly chances: Float64Array;
}

/**
 * At this |s|, divided by the largest value, the variable has reached its end: probabilities are at least 2^-32 or 0. Doubles hold e^FAR.
 */
const FAR = 300;

/** Neighbouring values that differ by less than this part of the largest are merged. */
const SAME = 2 ** -44;

/** Removes values of probability 0, and merges neighbours of equal value. */
function merged({ values, chances }: Atoms, near: number): Atoms {
  let last = -1;
  const [kept, together] = [new Float64Array(values.length), new Float64Array(values.length)];
  for (let i = 0; i < values.length; i++) {
    const [value, chance] = [values[i] as number, chances[i] as number];
    if (chance <= 0) continue;
    if (last < 0 || Math.abs(value - (kept[last] as number)) > near) kept[++last] = value;
    together[last] = (together[last] as number) + chance;
  }
  return { values: kept.subarray(0, last + 1), chances: together.subarray(0, last + 1) };
}

/**
 * The quantiles of a sum of independent draws of a variable with mean 0, as functions of z. All sums are of e^{sX} - 1 and of squared
 * distances, so nothing cancels: values may be rare, and draws many.
 */
export function quantileOfSum(draws: number, atoms: Atoms): (z: number) => number {
  const widest = atoms.values.reduce((most, value, i) => ((atoms.chances[i] as number) > 0 ? Math.max(most, Math.abs(value)) : most), 0);
  if (widest === 0) return () => 0;
  const { values, chances } = merged(atoms, SAME * widest);
  const cumulantsAt = (s: number): Cumulants => {
    let [more, first, second] = [0, 0, 0];
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      const grown = (chances[i] as number) * Math.expm1(s * value);
      more += grown;
      first += grown * value;
    }
    const mean = first / (1 + more);
    for (let i = 0; i < values.length; i++) {
      second += (chances[i] as number) * Math.exp(s * (values[i] as number)) * ((values[i] as number) - mean) ** 2;
    }
    return [draws * Math.log1p(more), draws * mean, (draws * second) / (1 + more)];
  };
  return (z) => quantileAt(z, FAR / widest, cumulantsAt);
}

/*
 * Interval ends for an estimate that is a mean of scores of which few matter: rare outcomes with large scores. There the normal
 * approximation covers as little as 69 % of the time, as it does for small counts (statistics/counts.ts).
 *
 * As there, the interval holds each share under which an error as large as this is no rarer than 2.5 %, and an end is only moved outwards.
 * The law of the sum is the saddlepoint approximation, from its cumulants at that share. The saddlepoint assumes a sum without gaps. For a
 * lattice it counts only half of the probability of the value itself. Half of the smallest step between two scores corrects that (Daniels
 * 1987, §6). For counts, this gives the ends of Clopper and Pearson.
 */

/** When the variance is below this many times the largest squared score, the sum of scores is not near normal. */
export const ENOUGH = 10;

/** Tolerance for a sum at its end, relative to the largest score. */
const ROUNDING = 1e-6;

/** A mean of scores. */
interface Scored {
  readonly reports: number;
  /** The score of each outcome. */
  readonly scores: readonly number[];
  /** K, K', K'' of the sum of scores at this share, with the share subtracted from each score. */
  readonly errorsAt: (share: number) => (s: number) => Cumulants;
}

/** The estimate with ends that cover even when few reports determine it. */
export function withTailEnds(found: Estimate, { reports, scores, errorsAt }: Scored): Estimate {
  const widest = Math.max(...scores.map(Math.abs));
  if ((reports * found.standardError) ** 2 >= ENOUGH * widest * widest) return found;
  const ascending = scores.toSorted((a, b) => a - b);
  const steps = ascending.slice(1).map((score, j) => score - (ascending[j] as number));
  const half = Math.min(...steps.filter((step) => step > ROUNDING * widest)) / 2;
  /** True if an error this large or larger, above (1) or below (-1), is common at this share. */
  const holds =
    (side: 1 | -1) =>
    (share: number): boolean =>
      side * reports * (found.estimate - share) - half <= side * quantileAt(side * Z95, FAR / widest, errorsAt(share)) + ROUNDING * widest;
  const moved = (end: number, limit: 0 | 1, isCommon: (share: number) => boolean): number => {
    const from = Math.min(1, Math.max(0, end));
    if (from === limit || !isCommon(from)) return end;
    return isCommon(limit) ? limit : endOf(from, limit, isCommon);
  };
  return { ...found, low: moved(found.low, 0, holds(1)), high: moved(found.high, 1, holds(-1)) };
}
