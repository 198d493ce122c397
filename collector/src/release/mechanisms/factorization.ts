/**
 * Counts by day with Gaussian noise, published so that sums over any range of days err least in the mean: a factorization of the workload of
 * all ranges, as the matrix mechanism has it (Li, Hay, Rastogi, Miklau, McGregor 2010; Denisov et al. 2022 for prefix sums).
 *
 * With a strategy C, y = C x + z is released, z independent noise with variance σ² = Δ²/(2ρ), and C^-1 y are the days. A device-day changes one
 * x by at most b, so Δ is b times the largest norm of a column of C. A range with indicator w has the variance σ² |C^-T w|². Let W have all
 * q = n(n+1)/2 ranges as rows, and G = W^T W, G_xy = (min(x,y) + 1)(n - max(x,y)). The mean variance is σ² tr((C^T C)^-1 G) / q.
 *
 * Least error. Let X = C^T C, with columns of norm 1 at most, so tr X <= n. By Cauchy and Schwarz for the traces of X^½ and X^-½ G^½,
 *   tr(X^-1 G) >= tr(G^½)² / tr X >= tr(G^½)² / n
 * for every C whatever (Li and Miklau 2013). G is n+1 times the inverse of the matrix L with 2 on the diagonal and -1 beside it, whose
 * eigenvectors are sines: λ_j = 4 sin²(πj/(2(n+1))), and for any power
 *   (L^γ)_xy = t(x-y) - t(x+y+2),   t(k) = Σ_j λ_j^γ cos(πjk/(n+1)) / (n+1)
 * Equality would take X proportional to G^½, whose diagonal is not even. Ours is C = L^-¼ D^-½ with D the diagonal of L^-½: all columns have
 * norm 1, and (C^T C)^-1 = D^½ L^½ D^½. For 1 to 4,096 days its mean variance is at most 2.4 % above the bound, which a test shows.
 *
 * The integers that run: each entry of C times 2^20, rounded. Δ² is b² times the largest sum of squares of a column of these, exactly. What
 * is released is whole numbers with discrete Gaussian noise (gaussian.ts). Days are computed from them: C^-1 in closed form, and again of what
 * it leaves, until nothing is left. Rounding changes variances by less than a thousandth.
 */

import type { Ratio } from '@murmuration/shared';
import { gaussian } from './gaussian.ts';
import { assertWhole, type ReleaseMechanism, withinSafe } from './mechanism.ts';
import type { Random } from './random.ts';

/** C is rounded to a multiple of 1 over this. */
const SCALE = 2 ** 20;
/** Days are computed in so many steps. Each leaves less than a thousandth of what the one before has left. */
const STEPS = 4;

/** t(k) for a power of L, k = 0 .. 2n+1. */
function powerOf(days: number, power: number): Float64Array {
  const period = 2 * (days + 1);
  const cosines = Float64Array.from({ length: period }, (_, i) => Math.cos((2 * Math.PI * i) / period));
  const values = Float64Array.from({ length: days }, (_, i) => (4 * Math.sin((Math.PI * (i + 1)) / period) ** 2) ** power / (days + 1));
  return Float64Array.from({ length: period }, (_, k) => {
    let sum = 0;
    for (let j = 1; j <= days; j++) sum += (values[j - 1] as number) * (cosines[(j * k) % period] as number);
    return sum;
  });
}

/** An entry of the power of L. */
const entryOf = (power: Float64Array, x: number, y: number): number => (power[Math.abs(x - y)] as number) - (power[x + y + 2] as number);

/** D^½: the roots of the diagonal of L^-½. */
function rootsOf(days: number): Float64Array {
  const power = powerOf(days, -1 / 2);
  return Float64Array.from({ length: days }, (_, day) => Math.sqrt(entryOf(power, day, day)));
}

/** The covariances of days, as sums: the variance of a range is four of them. In units of σ² for columns of norm 1. */
export interface RangeVariances {
  readonly of: (from: number, to: number) => number;
  /** Over all ranges. */
  readonly mean: number;
  readonly worst: number;
}

/** The variances of all ranges of so many days. */
export function factoredVariances(days: number): RangeVariances {
  const [power, roots] = [powerOf(days, 1 / 2), rootsOf(days)];
  // sums[y][x] is the sum of the covariances of the days before y with those before x.
  const width = days + 1;
  const sums = new Float64Array(width * width);
  let all = 0;
  for (let y = 0; y < days; y++) {
    let row = 0;
    for (let x = 0; x < days; x++) {
      const covariance = (roots[x] as number) * (roots[y] as number) * entryOf(power, x, y);
      row += covariance;
      all += covariance * (Math.min(x, y) + 1) * (days - Math.max(x, y));
      sums[(y + 1) * width + x + 1] = (sums[y * width + x + 1] as number) + row;
    }
  }
  const at = (y: number, x: number): number => sums[y * width + x] as number;
  const of = (from: number, to: number): number => at(to, to) - at(from, to) - at(to, from) + at(from, from);
  let worst = 0;
  for (let from = 0; from < days; from++) for (let to = from + 1; to <= days; to++) worst = Math.max(worst, of(from, to));
  return { of, mean: all / ((days * (days + 1)) / 2), worst };
}

/** The least mean variance over all ranges that any factorization has, in the same units. */
export function leastMeanVariance(days: number): number {
  let trace = 0;
  for (let j = 1; j <= days; j++) trace += 1 / (2 * Math.sin((Math.PI * j) / (2 * (days + 1))));
  return (2 * trace * trace) / days ** 2;
}

/** The strategy in whole numbers, a row after the other. */
function strategyOf(days: number): Float64Array {
  const [power, roots] = [powerOf(days, -1 / 4), rootsOf(days)];
  return Float64Array.from({ length: days * days }, (_, at) => {
    const [x, y] = [Math.floor(at / days), at % days];
    return Math.round((SCALE * entryOf(power, x, y)) / (roots[y] as number));
  });
}

/** The largest sum of squares of a column. */
function squaredNorm(strategy: Float64Array, days: number): bigint {
  let most = 0n;
  for (let y = 0; y < days; y++) {
    let sum = 0n;
    for (let x = 0; x < days; x++) sum += BigInt(strategy[x * days + y] as number) ** 2n;
    if (sum > most) most = sum;
  }
  return most;
}

/** The days from what was released. */
function daysOf(strategy: Float64Array, released: readonly number[]): readonly number[] {
  const days = released.length;
  const [power, roots] = [powerOf(days, 1 / 4), rootsOf(days)];
  const found = new Float64Array(days);
  let left = Float64Array.from(released);
  for (let step = 0; step < STEPS; step++) {
    for (let y = 0; y < days; y++) {
      let sum = 0;
      for (let x = 0; x < days; x++) sum += entryOf(power, x, y) * (left[x] as number);
      found[y] = (found[y] as number) + ((roots[y] as number) * sum) / SCALE;
    }
    left = Float64Array.from(released, (number, x) => {
      let rest = number;
      for (let y = 0; y < days; y++) rest -= (strategy[x * days + y] as number) * (found[y] as number);
      return rest;
    });
  }
  return [...found];
}

/** Days with the variance of their ranges. */
export interface FactoredDays extends ReleaseMechanism<readonly number[], readonly number[]> {
  /** The whole numbers that are released: the strategy's, with noise. Days are computed from them. */
  readonly numbers: (counts: readonly number[], random: Random) => readonly number[];
  readonly variances: RangeVariances;
  /** The unit of the variances: σ² of columns of norm 1. */
  readonly variance: number;
}

/** The most days, as for trees. */
const MOST_DAYS = 4096;

/**
 * Counts by day under ρ.
 *
 * @param of.bound the most reports of one device-day
 * @throws {RangeError} unless there are 1 to 4,096 days
 */
export function factoredDays(of: { readonly days: number; readonly rho: Ratio; readonly bound: number }): FactoredDays {
  const { days, rho, bound } = of;
  assertWhole(days, 'days: the number of days', 1, MOST_DAYS);
  assertWhole(bound, 'days: sensitivity');
  const strategy = strategyOf(days);
  const noise = gaussian({ rho, squaredSensitivity: BigInt(bound) ** 2n * squaredNorm(strategy, days) });
  const variances = factoredVariances(days);
  const variance = noise.variance / SCALE ** 2;
  const numbers: FactoredDays['numbers'] = (counts, random) => {
    assertWhole(counts.length, 'days: the number of counts', days, days);
    const whole = counts.map((count) => BigInt(withinSafe(count)));
    return whole.map((_, x) => {
      const sum = whole.reduce((total, count, y) => total + BigInt(strategy[x * days + y] as number) * count, 0n);
      return Number(sum + BigInt(noise.sample(random)));
    });
  };
  return {
    name: 'factored days',
    epsilon: undefined,
    rho,
    sensitivity: bound,
    variances,
    variance,
    numbers,
    release: (counts, random) => daysOf(strategy, numbers(counts, random)),
    accuracy: (beta) => Math.sqrt((variance * variances.worst) / beta),
  };
}
