/** The exact mean and covariance of a metric's estimates, given the true answers, and a test of estimates against them. */

import {
  bloomBits,
  CLEAR,
  hashString,
  isStringLaw,
  type Law,
  type ListLaw,
  mechanismOf,
  type StringLaw,
  type Support,
} from '@murmuration/shared';
import { CholeskyDecomposition, inverse as inverseOf, Matrix } from 'ml-matrix';
import type { Estimate } from './estimate.ts';
import type { AnswerLaw, Bloom } from './estimation.ts';
import { estimationOf } from './mechanisms/table.ts';
import { isList } from './sequences.ts';
import { chiSquaredTail } from './statistics/tails.ts';
import { chanceOf, isFitting, unitOf } from './string-fit.ts';

/** The true answers of the devices that reported, as counts. */
export interface Population {
  /** In the order of the estimates: by answer of a list, or by candidate. */
  readonly counts: readonly number[];
  /** Strings that are not candidates, with the number of devices that gave each. */
  readonly others: ReadonlyMap<string, number>;
  readonly candidates: readonly string[];
  /** Which candidates are fitted together (string-fit.ts). Default: none, as with few cohorts. */
  readonly fitted?: readonly boolean[];
}

/** The expected estimates and their covariance. */
export interface Moments {
  readonly mean: readonly number[];
  readonly covariance: Matrix;
  /** The rank of the covariance: one less than the number of a list's answers when the estimates sum to 1. */
  readonly rank: number;
}

/*
 * The exact mean and covariance of a metric's estimates under the law, given the true answers of the devices that reported. Devices' coins
 * are independent, so both are sums over devices. One report per device.
 *
 * The estimates of two answers vary together as their supports do, which the file of each list mechanism computes (`pairs`). When a report
 * is one cell and P(u | x) is the channel, Cov(u, v | x) = [u = v] P(u | x) - P(u | x) P(v | x). For strings, see `stringMoments`.
 */

/** Laws of metrics to which a device has one answer. */
export type MomentsLaw = AnswerLaw | StringLaw;

/**
 * The covariance of two answers' estimates, times the number of reports of one report each, given how many devices gave each answer. (p - q)²
 * times it is the mean over devices of P(u, v | x) - P(u | x) P(v | x).
 */
function pairCovariance(law: AnswerLaw, counts: readonly number[]): (u: number, v: number) => number {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const { p, q } = mechanismOf(law).support(law);
  const together = estimationOf(law).pairs(law, counts);
  return (u, v) => {
    const either = (counts[u] as number) + (counts[v] as number);
    return (together(u, v) - either * p * q - (n - either) * q * q) / (n * (p - q) ** 2);
  };
}

/** The variance of an answer's estimate, times the number of reports, likewise. */
function ownVariance(law: AnswerLaw, counts: readonly number[]): (u: number) => number {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const { p, q } = mechanismOf(law).support(law);
  return (u) => {
    const own = counts[u] as number;
    return (own * p * (1 - p) + (n - own) * q * (1 - q)) / (n * (p - q) ** 2);
  };
}

function listMoments(law: AnswerLaw, counts: readonly number[]): Moments {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const [own, pair] = [ownVariance(law, counts), pairCovariance(law, counts)];
  const covariance = new Matrix(law.size, law.size);
  counts.forEach((_, u) => {
    counts.forEach((_, v) => {
      covariance.set(u, v, (u === v ? own(u) : pair(u, v)) / n);
    });
  });
  return { mean: counts.map((count) => count / n), covariance, rank: estimationOf(law).isSumFixed(law) ? law.size - 1 : law.size };
}

/** The law of the stored symbol. */
function stored<L extends ListLaw>(law: L): L {
  if (!('irr' in law)) return law;
  const { irr: _irr, ...first } = law;
  return first as L;
}

/**
 * Cov(f_u, f_v) by the law, given shares of answers. Of N reports, up to T of one symbol: (c₁ + (T - 1) c∞) / N, as the variance (pure.ts).
 */
export function covarianceOf(
  law: AnswerLaw,
  shares: readonly number[],
  reports: number,
  perDevice: number,
): (u: number, v: number) => number {
  const of = (each: AnswerLaw): ((u: number, v: number) => number) => {
    const [own, pair] = [ownVariance(each, shares), pairCovariance(each, shares)];
    return (u, v) => (u === v ? own(u) : pair(u, v));
  };
  const [one, epoch] = [of(law), perDevice === 1 ? () => 0 : of(stored(law))];
  return (u, v) => (one(u, v) + (perDevice - 1) * epoch(u, v)) / reports;
}

/** True if a device has one answer to a list, whose estimates have a covariance. */
export const isAnswerLaw = (law: Law): law is AnswerLaw => isList(law) && law.mechanism !== 'privset' && law.mechanism !== 'd-bit-flip';

/** The moments of a metric's estimates. */
export function momentsOf(law: MomentsLaw, population: Population): Moments {
  if ('size' in law) return listMoments(law, population.counts);
  const { bloom, isSingle } = estimationOf(law);
  return stringMoments(law, bloom(law), isSingle, population);
}

/*
 * Moments of strings' estimates. Candidates that share Bloom bits share reports, so their estimates vary together, and a frequent
 * string raises all candidates whose bits it shares. The estimator treats the hash as random and counts this as variance. But the hash is
 * known and the same in every run, and a few frequent strings make that part far from normal. So here the hash is fixed: mean and
 * covariance are conditional on the hash, over cohorts and coins.
 *
 * In cohort j let B(c) be the bits of candidate c. A device with string w draws cohort j of m and reports bit b with probability π_b, which
 * is p if b is in B(w), else q, independently for each bit. It adds X_c = mean of its bits over B(c) to the support of c, so
 *   E[X_c] = q + (p - q) a(c, w),  a = mean over j of |B(c) ∩ B(w)| / |B(c)|
 *   E[X_c X_c'] = mean over j, b in B(c), b' in B(c') of  π_b if b = b', else π_b π_b'
 * (for local hashing, whose report is a single bit, 0 if b != b'). Also Σ_w n_w π_b π_b' = q² n + q (p - q)(N_b + N_b') + (p - q)² N_bb',
 * where N counts devices whose strings have the bits.
 */

/** The bits of each string in one cohort. */
type Blooms = readonly (readonly number[])[];

/** N_bb' of one cohort, with N_b on the diagonal. */
function devicesByBits(blooms: Blooms, devices: readonly number[], bits: number): Float64Array {
  const together = new Float64Array(bits * bits);
  blooms.forEach((own, w) => {
    for (const a of own) for (const b of own) together[a * bits + b] = (together[a * bits + b] as number) + (devices[w] as number);
  });
  return together;
}

/** Σ_w n_w times the probability that both bits are reported, from N_bb' and n. */
type Products = (together: Float64Array, n: number) => (a: number, b: number) => number;

function productsOf(bits: number, { p, q }: Support, isSingle: boolean): Products {
  const gain = p - q;
  return (together, n) => (a, b) => {
    const at = (one: number, other: number): number => together[one * bits + other] as number;
    if (a === b) return q * n + gain * at(a, a);
    return isSingle ? 0 : q * q * n + q * gain * (at(a, a) + at(b, b)) + gain * gain * at(a, b);
  };
}

/** Adds Σ_w n_w E[X_c X_c' | cohort] for every pair of candidates. */
function addProducts(sum: Matrix, blooms: Blooms, product: ReturnType<Products>): void {
  for (let c = 0; c < sum.rows; c++) {
    const own = blooms[c] as readonly number[];
    for (let other = c; other < sum.rows; other++) {
      const others = blooms[other] as readonly number[];
      let mean = 0;
      for (const a of own) for (const b of others) mean += product(a, b) / (own.length * others.length);
      sum.set(c, other, sum.get(c, other) + mean);
    }
  }
}

/** Adds a cohort's |B(c) ∩ B(w)| / |B(c)|, times its weight, for every candidate and string. */
function addOverlap(sum: Matrix, blooms: Blooms, weight: number): void {
  const holders = new Map<number, number[]>(); // the strings that have a bit
  blooms.forEach((own, w) => {
    for (const bit of own) holders.set(bit, [...(holders.get(bit) ?? []), w]);
  });
  blooms.slice(0, sum.rows).forEach((own, c) => {
    for (const bit of own) for (const w of holders.get(bit) ?? []) sum.set(c, w, sum.get(c, w) + weight / own.length);
  });
}

/** The matrix that takes the estimates of candidates by themselves to those with some of them fitted (string-fit.ts), from a(c, w). */
function solutionOf(overlap: Matrix, fitted: readonly boolean[], bloom: Bloom): Matrix {
  const rho = chanceOf(bloom);
  const members = fitted.flatMap((isFitted, c) => (isFitted ? [c] : []));
  const all = [...fitted.keys()];
  const onMembers = Matrix.div(Matrix.sub(overlap.subMatrixColumn(members), rho), 1 - rho); // G
  const inverse = inverseOf(onMembers.subMatrixRow(members));
  const shares = onMembers.mmul(inverse); // G_cA G_AA⁻¹
  const kept = 1 - members.length * unitOf(bloom);
  const solution = Matrix.zeros(all.length, all.length);
  for (const c of all) {
    if (!fitted[c]) solution.set(c, c, 1 / kept);
    members.forEach((member, i) => {
      solution.set(c, member, fitted[c] ? inverse.get(members.indexOf(c), i) : -shares.get(c, i) / kept);
    });
  }
  return solution;
}

/** The moments of candidates' estimates, given how many devices gave each candidate and each other string. */
function stringMoments(law: StringLaw, bloom: Bloom, isSingle: boolean, { candidates, counts, others, fitted = [] }: Population): Moments {
  const { bits, hashes, cohorts } = bloom;
  const support = mechanismOf(law).support(law);
  const { p, q } = support;
  const productIn = productsOf(bits, support, isSingle);
  const strings = [...candidates, ...others.keys()];
  const devices = [...counts, ...others.values()];
  const n = devices.reduce((sum, count) => sum + count, 0);
  const hashed = strings.map(hashString);
  const products = new Matrix(candidates.length, candidates.length);
  const overlap = new Matrix(candidates.length, strings.length); // a(c, w)
  for (let cohort = 0; cohort < cohorts; cohort++) {
    const blooms = hashed.map((hash) => bloomBits(hash, cohort, hashes, bits));
    addProducts(products, blooms, productIn(devicesByBits(blooms, devices, bits), n));
    addOverlap(overlap, blooms, 1 / cohorts);
  }
  // What one device adds on average, by its string. The products are weighted by devices.
  const means = Matrix.add(Matrix.mul(overlap, p - q), q);
  const squares = means.mmul(means.transpose().mulColumnVector([...devices]));
  const rho = chanceOf(bloom);
  const scale = 1 / ((p - q) * (1 - rho)); // the scale of the estimator
  const covariance = new Matrix(candidates.length, candidates.length);
  for (let c = 0; c < candidates.length; c++) {
    for (let other = c; other < candidates.length; other++) {
      const value = (products.get(c, other) / cohorts - squares.get(c, other)) * (scale / n) ** 2;
      covariance.set(c, other, value).set(other, c, value);
    }
  }
  const supports = means.mmul(Matrix.columnVector([...devices])).to1DArray();
  const alone = supports.map((sum) => (sum / n - q - (p - q) * rho) * scale);
  if (!fitted.includes(true)) return { mean: alone, covariance, rank: candidates.length };
  const solution = solutionOf(overlap, fitted, bloom);
  const solved = solution.mmul(covariance).mmul(solution.transpose());
  return {
    mean: solution.mmul(Matrix.columnVector(alone)).to1DArray(),
    covariance: Matrix.add(solved, solved.transpose()).div(2), // symmetric to the last bit
    rank: candidates.length,
  };
}

// Tests whether estimates agree with a known truth: one statistic for all answers, with its p-value under "the law is right".

/** The agreement of estimates and truth. */
export interface Agreement {
  /** Root mean squared error, and its expectation under the law. */
  readonly rmse: number;
  readonly expectedRmse: number;
  /** The squared distance from the law's expectation, eᵀ Cov⁺ e: a sum of independent squared z-scores. */
  readonly z2: number;
  readonly df: number;
  readonly pValue: number;
  /** The share of answers whose 95 % interval holds the truth. */
  readonly coverage95: number;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/**
 * Which candidates are fitted together (string-fit.ts). Whether one near the limit is counted as fitted moves another one's error by a
 * hundredth of its standard deviation.
 */
const fittedOf = (law: MomentsLaw, estimates: readonly Estimate[]): readonly boolean[] =>
  estimates.map(
    ({ estimate, standardError }) => isStringLaw(law) && isFitting(estimationOf(law).bloom(law)) && estimate > CLEAR * standardError,
  );

/** Compares a metric's estimates with the truth. The covariance is exact, so it accounts for the dependence between estimates. */
export function agreement(law: MomentsLaw, estimates: readonly Estimate[], of: Population): Agreement {
  const population = { fitted: fittedOf(law, estimates), ...of };
  const { counts, others } = population;
  const n = [...counts, ...others.values()].reduce((sum, count) => sum + count, 0);
  const truth = counts.map((count) => count / n);
  const { mean: expected, covariance, rank } = momentsOf(law, population);
  const errors = estimates.map(({ estimate }, i) => estimate - (expected[i] as number)).slice(0, rank);
  const column = Matrix.columnVector(errors);
  const solved = new CholeskyDecomposition(covariance.subMatrix(0, rank - 1, 0, rank - 1)).solve(column);
  const z2 = column.dot(solved);
  const expectedSquares = expected.map((value, i) => covariance.get(i, i) + (value - (truth[i] as number)) ** 2);
  return {
    rmse: Math.sqrt(mean(estimates.map(({ estimate }, i) => (estimate - (truth[i] as number)) ** 2))),
    expectedRmse: Math.sqrt(mean(expectedSquares)),
    z2,
    df: rank,
    pValue: chiSquaredTail(z2, rank),
    coverage95: mean(estimates.map(({ low, high }, i) => Number(low <= (truth[i] as number) && (truth[i] as number) <= high))),
  };
}
