/**
 * The estimator of every pure protocol (Wang et al. 2017, §3.1, equations 1 and 2): from C of n reports that support an
 * answer, f = (C/n - q) / (p - q), unbiased, with variance given the data (f p(1-p) + (1-f) q(1-q)) / (n (p-q)²).
 *
 * Reports of one device in one epoch share the noise of its stored symbol. With v₁ the variance of a single report's
 * estimate and v∞ that of the symbol's own (p∞, q∞), m reports of one symbol add m (v₁ - v∞) + m² v∞ to that of the sum. Symbols
 * of other epochs have coins of their own. With at most T reports of one symbol, so that Σ m² <= T Σ m, the mean of
 * N reports in all has variance at most (v₁ + (T - 1) v∞) / N: with equality where all epochs have T reports, and a little less where
 * the range cuts some off, for these have fewer.
 */

import type { Support } from '@murmuration/shared';
import { type Estimate, scored } from './estimate.ts';
import { type CountAt, withExactEnds } from './exact-ends.ts';

/** v(f) = constant + slope f - curve f², for a single report. */
interface Variance {
  readonly constant: number;
  readonly slope: number;
  readonly curve: number;
}

/** How many reports there are, and how many of them support each answer. */
interface Supports {
  readonly reports: number;
  readonly cells: Float64Array;
}

/** The variance of one report's estimate, linear in the frequency. */
function varianceOf({ p, q }: Support): Variance {
  const gain = (p - q) * (p - q);
  return { constant: (q * (1 - q)) / gain, slope: (p * (1 - p) - q * (1 - q)) / gain, curve: 0 };
}

/** The variance of N reports' estimate, times N, where up to `perDevice` of them repeat one symbol. */
export function rangeVariance(report: Support, permanent: Support, perDevice: number): Variance {
  const [one, epoch] = [varianceOf(report), varianceOf(permanent)];
  const over = (part: keyof Variance): number => one[part] + (perDevice - 1) * epoch[part];
  return { constant: over('constant'), slope: over('slope'), curve: 0 };
}

/**
 * The variance of one report's estimate where devices have an answer in part. A set of l answers that is sampled down to L
 * counts w = L/l of a device for each of them, any other 0 or 1, and f is the mean of w. A report supports the answer with
 * probability s = q + (p - q) w, so n Var(f^) is the mean of s(1-s) / (p-q)² = constant + (slope + 1) w - w², with the
 * constant and slope of whole devices. The mean of w² is at least f², so that
 *   n Var(f^) <= constant + (slope + 1) f - f²
 * the variance of a binomial count, with equality where all have the same part. Nothing in a tally tells w from whole
 * devices. Of these it says f (1-f) too much: the variance over people who were drawn from many.
 */
export function partVariance(support: Support): Variance {
  const { constant, slope } = varianceOf(support);
  return { constant, slope: slope + 1, curve: 1 };
}

/** All answers' estimates, by the count's variance and, where there is one, its exact law. */
function estimates({ reports, cells }: Supports, { p, q }: Support, { constant, slope, curve }: Variance, at?: CountAt): Estimate[] {
  const ofCount = (count: number): Estimate => {
    const estimate = scored((count / reports - q) / (p - q), constant / reports, slope / reports, curve / reports);
    return at ? withExactEnds(estimate, count, at) : estimate;
  };
  const known = new Map<number, Estimate>(); // long lists have many equal counts
  return Array.from(cells, (count) => {
    const found = known.get(count) ?? ofCount(count);
    known.set(count, found);
    return found;
  });
}

/** Where every device has the answer or not; of a part of a device this is the chance that it has. */
function wholeCount(reports: number, { p, q }: Support): CountAt {
  return (share) => {
    const whole = Math.floor(share * reports);
    const part = share * reports - whole;
    return [
      { trials: whole, chance: p },
      { trials: Math.max(0, reports - whole - 1), chance: q },
      { trials: whole < reports ? 1 : 0, chance: q + (p - q) * part },
    ];
  };
}

/** The estimates of all cells of a tally. Where each device sent one report, a count is the sum of two binomial ones; else its law is not known. */
export const pureEstimates = (supports: Supports, report: Support, permanent: Support, perDevice: number): Estimate[] =>
  estimates(
    supports,
    report,
    rangeVariance(report, permanent, perDevice),
    perDevice === 1 ? wholeCount(supports.reports, report) : undefined,
  );

/** These where devices have answers in part: the binomial count is the most spread out of all (Hoeffding 1956, theorem 4). */
export const partEstimates = (supports: Supports, support: Support): Estimate[] =>
  estimates(supports, support, partVariance(support), (share) => [
    { trials: supports.reports, chance: support.q + (support.p - support.q) * share },
  ]);
