/**
 * The discrete Gaussian mechanism, for budgets in ρ: Canonne, Kamath, Steinke 2020, "The Discrete Gaussian for Differential Privacy". No
 * pure ε covers it; it spends ρ (theorem 4).
 *
 * Law: the number plus Z, P(Z = z) proportional to e^(-z²/(2σ²)) over all integers, σ² = Δ²/(2ρ), Δ in the L2 norm where a vector's cells
 * get noise each. Var(Z) <= σ² (corollary 9), and equals it to double precision from σ = 3 on. For the same ρ, that is half of what
 * geometric noise has where ε is small: there ρ = ε²/2, and its variance is 2/ε² = 1/ρ.
 * Usefulness: P(Z >= z) <= P(N(0, σ²) >= z - 1) (proposition 25), so λ = ceil(σ q) with q the normal quantile of δ/2.
 *
 * Sampler (algorithm 3), with t = floor(σ) + 1: Y is two-sided geometric with parameter e^(-1/t), accepted with probability
 * e^-((|Y| - σ²/t)² / (2σ²)). With σ² = p/q that exponent is (|Y| q t - p)² / (2 p q t²). About three draws of Y give one Z.
 */

import type { Ratio } from '@murmuration/shared';
import { ratio } from '@murmuration/shared';
import { normalQuantile, normalTail } from '../../estimation/statistics/tails.ts';
import { sampleTwoSided } from './geometric.ts';
import { assertBeta, toDouble, type WholeNoise, withinSafe } from './mechanism.ts';
import type { Random } from './random.ts';

/** Draws Z with P(Z = z) proportional to e^(-z² q / (2p)). */
function sampleGaussian(random: Random, p: bigint, q: bigint, t: number): number {
  const wide = q * BigInt(t);
  for (;;) {
    const candidate = sampleTwoSided(random, 1, t);
    const distance = BigInt(Math.abs(candidate)) * wide - p;
    if (random.decay(distance * distance, 2n * p * wide * BigInt(t))) return candidate;
  }
}

/** Variances up to this are summed term by term; beyond, the discrete law is the normal one to double precision. */
const SUMMED = 1e4;

/** The law of small noise: its moments, and P(Z >= z) for z = 0, 1, .. */
function summed(variance: number): { readonly variance: number; readonly meanAbsoluteError: number; readonly tails: readonly number[] } {
  const weights: number[] = [];
  for (let z = 0; z * z < 1500 * variance + 2; z++) weights.push(Math.exp((-z * z) / (2 * variance)));
  const mass = 2 * weights.reduce((sum, weight) => sum + weight, 0) - 1;
  const moment = (power: number): number => (2 * weights.reduce((sum, weight, z) => sum + z ** power * weight, 0)) / mass;
  let beyond = 0;
  const tails = weights.toReversed().map((weight) => {
    beyond += weight / mass;
    return beyond;
  });
  return { variance: moment(2), meanAbsoluteError: moment(1), tails: tails.reverse() };
}

/** normalQuantile is found by bisection to within 1e-9. */
const BISECTED = 1e-9;

/**
 * Discrete Gaussian noise for whole numbers. `squaredSensitivity` is the square of the most by which one unit of privacy changes the
 * number; for a vector, in the L2 norm.
 *
 * @throws {RangeError} unless the squared sensitivity is a whole number from 1, and σ at most 2^40
 */
export function gaussian({ rho, squaredSensitivity }: { readonly rho: Ratio; readonly squaredSensitivity: bigint }): WholeNoise {
  if (squaredSensitivity < 1n) throw new RangeError(`gaussian: expected a squared sensitivity from 1, got ${squaredSensitivity}`);
  const { numerator, denominator } = ratio(squaredSensitivity * rho.denominator, 2n * rho.numerator);
  const deviation = Math.sqrt(toDouble({ numerator, denominator }));
  if (!(deviation <= 2 ** 40)) throw new RangeError(`gaussian: expected a deviation of at most 2^40, got ${deviation}`);
  // Any whole t gives the same law; this one is the fastest.
  const t = Math.floor(deviation) + 1;
  const sample = (random: Random): number => sampleGaussian(random, numerator, denominator, t);
  const small = deviation ** 2 <= SUMMED ? summed(deviation ** 2) : undefined;
  return {
    name: 'gaussian',
    epsilon: undefined,
    rho,
    sensitivity: Math.sqrt(Number(squaredSensitivity)),
    sample,
    release: (count, random) => withinSafe(count) + sample(random),
    variance: small?.variance ?? deviation ** 2,
    meanAbsoluteError: small?.meanAbsoluteError ?? deviation * Math.sqrt(2 / Math.PI),
    tail: (z) => (small === undefined ? normalTail((z - 1) / deviation) : (small.tails[z] ?? 0)),
    accuracy: (beta) => {
      assertBeta(beta);
      if (small === undefined) return Math.ceil(deviation * (normalQuantile(beta / 2) + BISECTED));
      return small.tails.findIndex((beyond, z) => z > 0 && 2 * beyond <= beta) - 1;
    },
  };
}
