/**
 * The part of covariance.ts for strings. Candidates that share Bloom bits share reports, so their estimates vary together, and a frequent
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

import { bloomBits, hashString, mechanismOf, type StringLaw, type Support } from '@murmuration/shared';
import { inverse as inverseOf, Matrix } from 'ml-matrix';
import type { Bloom } from './estimation.ts';
import type { Moments, Population } from './moments.ts';
import { chanceOf, unitOf } from './string-fit.ts';

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
export function stringMoments(
  law: StringLaw,
  bloom: Bloom,
  isSingle: boolean,
  { candidates, counts, others, fitted = [] }: Population,
): Moments {
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
