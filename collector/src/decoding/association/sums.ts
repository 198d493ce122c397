/**
 * Sums of a table's entries with their error bars, as shares of all people and of those in the whole table.
 *
 * A sum's variance is the sum of its entries' covariances. A part of a whole, r = A / B, has Fieller's interval (1954): the r for which A - r B
 * is within 1.96 of its own standard errors of 0.
 */

import { Matrix } from 'ml-matrix';
import { type Estimate, scored } from '../../estimation/estimate.ts';
import { Z95 } from '../../estimation/statistics/normal.ts';
import type { Evidence } from './evidence.ts';

/** A pair: its share of all, and among those of its string. */
export interface Pair {
  readonly share: Estimate;
  /** Only of strings that are found. */
  readonly within?: Estimate;
}

/** A sum of entries of a table, or its variance, by weights of the entries. */
export const weighted = (weights: Matrix, covariance: Matrix, other: Matrix = weights): number =>
  weights.transpose().mmul(covariance).mmul(other).get(0, 0);

/** The ratio of a part to its whole, from their estimates and covariance. */
export function within(part: number, whole: number, varPart: number, covariance: number, varWhole: number): Estimate {
  const estimate = part / whole;
  const standardError = Math.sqrt(Math.max(0, varPart - 2 * estimate * covariance + estimate ** 2 * varWhole)) / Math.abs(whole);
  const z = Z95 * Z95;
  const [bend, middle, least] = [whole ** 2 - z * varWhole, part * whole - z * covariance, part ** 2 - z * varPart];
  // A whole that may be 0 has any part.
  if (bend <= 0) return { estimate, standardError, low: Math.min(0, estimate), high: Math.max(1, estimate) };
  const half = Math.sqrt(Math.max(0, middle ** 2 - bend * least));
  return { estimate, standardError, low: (middle - half) / bend, high: (middle + half) / bend };
}

/** The estimate of a share with its interval, from its variance. */
type Interval = (share: number, variance: number) => Estimate;

/** The interval of a share, or of a sum of shares, from its variance: as for other shares, the variance grows with the share. */
export function intervalBy({ noise, law: { hashes }, rho, total, perDevice }: Evidence, drawn: number): Interval {
  const slope = ((noise.slope / hashes + perDevice) * ((1 - 2 * rho) / (1 - rho)) - perDevice) / total + drawn;
  return (share, variance) => {
    const at = Math.min(1, Math.max(0, share));
    return scored(share, { constant: Math.max(0, variance - slope * at + drawn * at * at), slope, curve: drawn });
  };
}

/** The sums of a table's entries by weights, as shares of all and of the whole table. */
export function sumsOf(
  table: readonly number[],
  covariance: Matrix,
  parts: readonly (readonly number[])[],
  interval: Interval,
): { readonly share: Estimate; readonly parts: readonly Required<Pair>[] } {
  const vector = (entries: readonly number[]): Matrix => Matrix.columnVector(table.map((_, i) => (entries.includes(i) ? 1 : 0)));
  const sum = (entries: readonly number[]): number => entries.reduce((total, i) => total + (table[i] as number), 0);
  const every = table.map((_, i) => i);
  const all = vector(every);
  const [whole, varWhole] = [sum(every), weighted(all, covariance)];
  return {
    share: interval(whole, varWhole),
    parts: parts.map((entries): Required<Pair> => {
      const own = vector(entries);
      const [part, variance] = [sum(entries), weighted(own, covariance)];
      return { share: interval(part, variance), within: within(part, whole, variance, weighted(own, covariance, all), varWhole) };
    }),
  };
}
