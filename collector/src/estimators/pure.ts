/**
 * The estimator of every pure protocol (Wang et al. 2017, §3.1, equations 1 and 2): from C of n reports that support an
 * answer, f = (C/n - q) / (p - q), unbiased, with variance given the data (f p(1-p) + (1-f) q(1-q)) / (n (p-q)²).
 *
 * Reports of one device on T days share the noise of its stored symbol. With v₁ the variance of a single report's
 * estimate and v∞ that of the symbol's own (p∞, q∞), N reports in all have variance (v₁ + (T - 1) v∞) / N.
 */

import type { Support } from '@murmuration/shared';
import { type Estimate, scored } from './estimate.ts';

/** v(f) = constant + slope f, for a single report. */
interface Variance {
  readonly constant: number;
  readonly slope: number;
}

/** The variance of one report's estimate, linear in the frequency. */
function varianceOf({ p, q }: Support): Variance {
  const gain = (p - q) * (p - q);
  return { constant: (q * (1 - q)) / gain, slope: (p * (1 - p) - q * (1 - q)) / gain };
}

/** The variance of N reports' estimate, times N, where one device may have sent up to `perDevice` of them. */
export function rangeVariance(report: Support, permanent: Support, perDevice: number): Variance {
  const [one, epoch] = [varianceOf(report), varianceOf(permanent)];
  return { constant: one.constant + (perDevice - 1) * epoch.constant, slope: one.slope + (perDevice - 1) * epoch.slope };
}

/** The estimates of all cells of a tally. */
export function pureEstimates(
  { reports, cells }: { readonly reports: number; readonly cells: Float64Array },
  report: Support,
  permanent: Support,
  perDevice: number,
): Estimate[] {
  const { constant, slope } = rangeVariance(report, permanent, perDevice);
  return Array.from(cells, (count) => scored((count / reports - report.q) / (report.p - report.q), constant / reports, slope / reports));
}
