/** What every estimator returns, and the interval that it returns it with. */

/** A frequency in [0, 1], estimated without bias: the estimate itself may lie outside. */
export interface Estimate {
  readonly estimate: number;
  readonly standardError: number;
  /** The 95 % interval. */
  readonly low: number;
  readonly high: number;
}

/** Two-sided 95 % of the normal distribution. */
export const Z95 = 1.959963984540054;

const clamp = (x: number): number => Math.min(1, Math.max(0, x));

/**
 * An estimate of a frequency f whose variance is constant + slope f, with its score interval: all f for which
 * (estimate - f)² <= z² (constant + slope f) (Wilson 1927), which covers where the plug-in interval is too short.
 */
export function scored(estimate: number, constant: number, slope: number): Estimate {
  const at = clamp(estimate);
  const shift = (Z95 * Z95 * slope) / 2;
  const half = Math.sqrt(shift * shift + Z95 * Z95 * (constant + slope * at));
  return { estimate, standardError: Math.sqrt(constant + slope * at), low: estimate + shift - half, high: estimate + shift + half };
}
