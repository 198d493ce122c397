/** The result of every estimator, and its interval. */

import { Z95 } from './statistics/normal.ts';

/** An unbiased estimate of a frequency in [0, 1]. The estimate itself may lie outside. */
export interface Estimate {
  readonly estimate: number;
  readonly standardError: number;
  /** The 95 % interval. */
  readonly low: number;
  readonly high: number;
}

/** The variance of an estimate as a function of the frequency f: constant + slope f - curve f². */
export interface Variance {
  readonly constant: number;
  readonly slope: number;
  readonly curve: number;
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x));

/**
 * An estimate of a frequency f whose variance is constant + slope f - curve f², with its score interval: all f for which (estimate - f)² <=
 * z² (constant + slope f - curve f²) (Wilson 1927). It covers where the plug-in interval is too short. The ends are the roots of a
 * quadratic, (1 + z² curve) f² - (2 estimate + z² slope) f + estimate² - z² constant. An estimate outside [0, 1] may have no roots, so
 * there the interval also includes the one for the variance at the nearest share.
 *
 * The standard error is that of the frequency in the middle of the interval, following Agresti and Coull (1998). A count of c then has
 * about the variance of c + 2. Using the estimate itself, a count of zero would have the variance of a frequency of 0, which is too small
 * by up to e^(ε/2) for any answer that somebody has.
 */
export function scored(estimate: number, { constant, slope, curve }: Variance): Estimate {
  const at = clamp(estimate);
  const [shift, bend] = [(Z95 * Z95 * slope) / 2, Z95 * Z95 * curve];
  const varianceAt = (f: number): number => constant + slope * f - curve * f * f;
  const middleAt = (f: number): number => estimate + (shift - bend * f) / (1 + bend);
  const intervals = [estimate, at].map((f) => {
    const middle = middleAt(f);
    const half = Math.sqrt(Math.max(0, shift * shift + Z95 * Z95 * (varianceAt(f) + bend * constant))) / (1 + bend);
    return [middle - half, middle + half] as const;
  });
  return {
    estimate,
    standardError: Math.sqrt(varianceAt(clamp(middleAt(at)))),
    low: Math.min(...intervals.map(([low]) => low)),
    high: Math.max(...intervals.map(([, high]) => high)),
  };
}
