/**
 * The discrete Gaussian mechanism, for many small queries under zero-concentrated accounting: Canonne, Kamath, Steinke 2020, "The Discrete
 * Gaussian for Differential Privacy". No pure ε covers it; it spends ρ (theorem 4).
 *
 * Law: the number plus Z, P(Z = z) proportional to e^(-z²/(2σ²)) over all integers, σ² = Δ²/(2ρ), Δ in the L2 norm where a vector's cells
 * get noise each. Var(Z) <= σ² (corollary 9), and equals it to double precision from σ = 3 on.
 * Usefulness: P(|Z| > λ) = 2 P(Z >= λ+1) <= 2 P(N(0, σ²) >= λ) (proposition 25), so λ = ceil(σ z) with z the normal quantile of δ/2.
 *
 * Sampler (algorithm 3), with t = floor(σ) + 1: Y is two-sided geometric with parameter e^(-1/t), accepted with probability
 * e^-((|Y| - σ²/t)² / (2σ²)). With σ² = p/q that exponent is (|Y| q t - p)² / (2 p q t²). About three draws of Y give one Z.
 */

import type { Ratio } from '@murmuration/shared';
import { normalQuantile } from '../../estimation/statistics/normal.ts';
import { sampleTwoSided } from './geometric.ts';
import type { NoiseMechanism } from './index.ts';
import type { Random } from './random.ts';
import { assertBeta, assertWhole, times, toDouble, withinSafe } from './spending.ts';

/** Draws Z with P(Z = z) proportional to e^(-z² q / (2p)). */
function sampleGaussian(random: Random, p: bigint, q: bigint, t: number): number {
  const wide = q * BigInt(t);
  for (;;) {
    const candidate = sampleTwoSided(random, 1, t);
    const distance = BigInt(Math.abs(candidate)) * wide - p;
    if (random.decay(distance * distance, 2n * p * wide * BigInt(t))) return candidate;
  }
}

/** Variance and mean size of the noise. */
function momentsOf(variance: number): readonly [variance: number, meanAbsoluteError: number] {
  let [mass, absolute, square] = [1, 0, 0];
  if (variance > 1e6) return [variance, Math.sqrt((2 * variance) / Math.PI)];
  for (let z = 1; z * z < 1500 * variance + 2; z++) {
    const weight = 2 * Math.exp((-z * z) / (2 * variance));
    mass += weight;
    absolute += z * weight;
    square += z * z * weight;
  }
  return [square / mass, absolute / mass];
}

/** normalQuantile is found by bisection to within 1e-9. */
const BISECTED = 1e-9;

/**
 * Discrete Gaussian noise for whole numbers.
 *
 * @throws {RangeError} unless the sensitivity is a whole number from 1, and σ at most 2^40
 */
export function gaussian({ rho, squaredSensitivity }: { readonly rho: Ratio; readonly squaredSensitivity: number }): NoiseMechanism {
  assertWhole(squaredSensitivity, 'gaussian: the squared sensitivity');
  const { numerator, denominator } = times({ numerator: rho.denominator, denominator: rho.numerator }, squaredSensitivity, 2);
  const deviation = Math.sqrt(toDouble({ numerator, denominator }));
  if (!(deviation <= 2 ** 40)) throw new RangeError(`gaussian: expected a deviation of at most 2^40, got ${deviation}`);
  // Any whole t gives the same law; this one is the fastest.
  const t = Math.floor(deviation) + 1;
  const sample = (random: Random): number => sampleGaussian(random, numerator, denominator, t);
  const [variance, meanAbsoluteError] = momentsOf(deviation ** 2);
  return {
    name: 'gaussian',
    rho,
    sensitivity: Math.sqrt(squaredSensitivity),
    sample,
    release: (count, random) => withinSafe(count) + sample(random),
    variance,
    meanAbsoluteError,
    accuracy: (beta) => {
      assertBeta(beta);
      return Math.ceil(deviation * (normalQuantile(beta / 2) + BISECTED));
    },
  };
}
