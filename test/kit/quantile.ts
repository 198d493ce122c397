/** Quantiles of figures that were measured. */

/** The figure that a share q of them lies below; `NaN` of none. */
export function quantile(figures: readonly number[], q: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

/** The middle one, or the one above the middle. */
export const median = (figures: readonly number[]): number => quantile(figures, 0.5);
