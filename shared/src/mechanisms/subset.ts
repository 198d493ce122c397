/**
 * Subset selection (SS): Ye and Barg 2018, "Optimal Schemes for Discrete Distribution Estimation under Locally Differential Privacy", §III;
 * Wang et al. 2016, "Mutual Information Optimally Local Private Discrete Distribution Estimation", §4. It has the least variance among the
 * linear symmetric estimators over a known list. Subsets of one are k-ary response.
 *
 * Law (d answers, subsets of m, T = 2^32): with probability include/T the set holds the true answer and m - 1 of the others, drawn
 * uniformly; else m of the others, drawn uniformly. A set S has probability include / (T C(d-1, m-1)) or (T - include) / (T C(d-1, m)), so
 *   e^ε = include (d - m) / ((T - include) m)
 * Support: p = include / T;  q = p (m-1)/(d-1) + (1-p) m/(d-1). Variance as for k-ary response.
 */

import { exp, expBelow } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertHeld, assertWhole, type Mechanism, MODULUS, type Support } from './law.ts';

/** The integers of subset selection. */
export type SubsetLaw = {
  readonly mechanism: 'subset';
  /** d, the number of answers. */
  readonly size: number;
  /** m, how many of them a report holds. */
  readonly subset: number;
  /** P(the set holds the true answer) * 2^32. */
  readonly include: number;
};

/**
 * P(the set holds the true answer) * modulus, for the largest ε that is at most the requested one. Subsets of one are k-ary response, so
 * this is also the threshold of k-ary response.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function includeThreshold(size: number, m: number, epsilon: number, modulus: number): number {
  const bound = expBelow(epsilon);
  let include = Math.floor(modulus * ((bound * m) / (bound * m + (size - m))));
  while (include * (size - m) > bound * m * (modulus - include)) include--;
  assertHeld((include * (size - m)) / ((modulus - include) * m), epsilon, `${size} answers`);
  return include;
}

/**
 * The law over subsets of m with the largest ε that is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function subsetLaw(size: number, m: number, epsilon: number, modulus: number = MODULUS): SubsetLaw {
  return { mechanism: 'subset', size, subset: m, include: includeThreshold(size, m, epsilon, modulus) };
}

const supportOf = (size: number, m: number, p: number): Support => ({
  p,
  q: (p * (m - 1) + (1 - p) * m) / (size - 1),
});

/**
 * The mean variance over answers, times the number of reports: q(1-q)/(p-q)² + (1-p-q)/(d(p-q)). It is the variance stated in k-ary.ts,
 * averaged over answers, and holds for any distribution.
 */
export function meanVariance(size: number, { p, q }: Support): number {
  return (q * (1 - q)) / ((p - q) * (p - q)) + (1 - p - q) / (size * (p - q));
}

/** `support` from a real ε, before rounding to integers. The chooser compares laws by it. */
export function subsetIdeal(size: number, m: number, epsilon: number): Support {
  const e = exp(epsilon);
  const z = m * e + (size - m);
  return { p: (m * e) / z, q: ((m - 1) * m * e + (size - m) * m) / ((size - 1) * z) };
}

export const subset: Mechanism<SubsetLaw> = /* @__PURE__ */ coded<SubsetLaw>({
  name: 'subset',
  tells: 'shares',
  meaning: 'Subset selection: a device sends a random set of answers, which holds its own with a known, higher probability.',
  validate: ({ size, subset: m, include }) => {
    assertWhole(size, 3, 2 ** 24, 'subset: size');
    assertWhole(m, 2, size - 1, 'subset: subset');
    assertWhole(include, Math.ceil((MODULUS * m) / size), MODULUS - 1, 'subset: include');
  },
  odds: ({ size, subset: m, include }) => ({
    report: ratio(BigInt(include) * BigInt(size - m), (BigInt(MODULUS) - BigInt(include)) * BigInt(m)),
  }),
  shape: ({ size, subset: m }) => ({ cohorts: 1, cells: size, form: 'bits', ones: m }),
  support: ({ size, subset: m, include }) => supportOf(size, m, include / MODULUS),
});
