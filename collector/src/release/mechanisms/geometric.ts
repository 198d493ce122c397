/**
 * The two-sided geometric mechanism (discrete Laplace) for counts and histograms: Ghosh, Roughgarden, Sundararajan 2009, "Universally
 * Utility-Maximizing Privacy Mechanisms", §2. The sampler is algorithm 2 of Canonne, Kamath, Steinke 2020.
 *
 * Law: the number plus Z, P(Z = z) = (1-a)/(1+a) a^|z|, a = e^(-ε/Δ), over all integers. Two numbers that differ by at most Δ give an
 * output with probabilities whose ratio is at most a^-Δ = e^ε. The same holds for a vector whose cells get noise each, with Δ in the L1
 * norm.
 *   Var(Z) = 2a / (1-a)², E|Z| = 2a / (1-a²), P(Z >= z) = a^z / (1+a) for z >= 1, so P(|Z| > λ) = 2 a^(λ+1) / (1+a)
 * zcdp.ts has its exact ρ, which holds for vectors, too.
 * Usefulness: the least λ with P(|Z| > λ) <= δ, about (Δ/ε) ln(1/δ).
 *
 * Sampler, with ε/Δ = s/t in lowest terms: U is uniform in 0 .. t-1, accepted with probability e^(-U/t). V counts successes of
 * probability e^-1. Then U + tV is geometric with parameter e^(-1/t), and floor((U + tV)/s) with e^(-s/t). A fair coin gives the sign;
 * minus zero is drawn again, so that zero is not counted twice.
 */

import type { Ratio } from '@murmuration/shared';
import {
  assertBeta,
  assertWhole,
  type NoiseMechanism,
  type ReleaseMechanism,
  times,
  toDouble,
  type WholeNoise,
  withinSafe,
} from './mechanism.ts';
import type { Random } from './random.ts';
import { geometricRho } from './zcdp.ts';

/** s and t are at most this, so that U + tV stays exact. V would have to pass 8,192, which has a probability of e^-8192. */
export const MOST_PART: bigint = 2n ** 40n;

/** s and t of a rate s/t as numbers. */
function rateOf({ numerator, denominator }: Ratio, what: string): readonly [s: number, t: number] {
  if (numerator > MOST_PART || denominator > MOST_PART) {
    throw new RangeError(
      `${what}: expected ε over the sensitivity to be a fraction of numbers up to 2^40, got ${numerator}/${denominator}`,
    );
  }
  return [Number(numerator), Number(denominator)];
}

/** Draws Z with P(Z = z) proportional to e^(-|z| s/t). */
export function sampleTwoSided(random: Random, s: number, t: number): number {
  for (;;) {
    const remainder = random.uniform(t);
    if (!random.decay(remainder, t)) continue;
    let units = 0;
    while (random.decay(1, 1)) units++;
    const size = Math.floor((remainder + t * units) / s);
    const negative = random.flip(1, 2);
    if (!(negative && size === 0)) return negative ? -size : size;
  }
}

/** The least λ with P(|Z| > λ) <= beta, where a = e^-rate. */
function twoSidedBound(rate: number, beta: number): number {
  assertBeta(beta);
  const a = Math.exp(-rate);
  const tail = (bound: number): number => (2 * a ** (bound + 1)) / (1 + a);
  let bound = Math.max(0, Math.floor(Math.log(2 / (beta * (1 + a))) / rate) - 1);
  while (tail(bound) > beta) bound++;
  return bound;
}

/**
 * Two-sided geometric noise for whole numbers. `sensitivity` is the most by which one unit of privacy changes the number; for a histogram,
 * the sum of the changes of its cells.
 *
 * @throws {RangeError} unless the sensitivity is a whole number from 1, and ε over it a fraction of numbers up to 2^40
 */
export function geometric({ epsilon, sensitivity }: { readonly epsilon: Ratio; readonly sensitivity: number }): WholeNoise {
  assertWhole(sensitivity, 'geometric: sensitivity');
  const perUnit = times(epsilon, 1, sensitivity);
  const [s, t] = rateOf(perUnit, 'geometric');
  const rate = toDouble(perUnit);
  const a = Math.exp(-rate);
  const sample = (random: Random): number => sampleTwoSided(random, s, t);
  return {
    name: 'geometric',
    epsilon,
    rho: geometricRho(perUnit, sensitivity),
    sensitivity,
    sample,
    release: (count, random) => withinSafe(count) + sample(random),
    variance: (2 * a) / Math.expm1(-rate) ** 2,
    meanAbsoluteError: (-2 * a) / Math.expm1(-2 * rate),
    tail: (z) => a ** z / (1 + a),
    accuracy: (beta) => twoSidedBound(rate, beta),
  };
}

/*
 * Noise for every cell of a histogram, from one mechanism for numbers. If one unit of privacy changes the cells by at most Δ together (in
 * the L1 norm; for Gaussian noise in the L2 norm, which is never more), the whole histogram spends what the mechanism spends once: the
 * densities multiply, and the exponents add up to that distance.
 */

/** The mechanism for a histogram of so many cells. `accuracy` is about the cell with the largest error. */
export function cells(noise: NoiseMechanism, count: number): ReleaseMechanism<readonly number[], readonly number[]> {
  assertWhole(count, 'cells: the number of cells');
  const { name, sensitivity, rho, epsilon } = noise;
  return {
    name: `${name} cells`,
    sensitivity,
    rho,
    epsilon,
    release: (values, random) => {
      assertWhole(values.length, 'cells: the number of values', count, count);
      return values.map((value) => noise.release(value, random));
    },
    // All cells are within λ with probability (1 - p)^count, since their noise is independent.
    accuracy: (beta) => {
      assertBeta(beta);
      return noise.accuracy(-Math.expm1(Math.log1p(-beta) / count));
    },
  };
}
