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
 * An estimate of a frequency f whose variance is constant + slope f - curve f², with its score interval: all f for which
 * (estimate - f)² <= z² (constant + slope f - curve f²) (Wilson 1927), which covers where the plug-in interval is too short.
 */
export function scored(estimate: number, constant: number, slope: number, curve = 0): Estimate {
  const at = clamp(estimate);
  const variance = constant + slope * at - curve * at * at;
  const [shift, bend] = [(Z95 * Z95 * slope) / 2, Z95 * Z95 * curve];
  const middle = estimate + (shift - bend * at) / (1 + bend);
  const half = Math.sqrt(shift * shift + Z95 * Z95 * (variance + bend * constant)) / (1 + bend);
  return { estimate, standardError: Math.sqrt(variance), low: middle - half, high: middle + half };
}
