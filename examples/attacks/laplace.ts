/**
 * The Laplace mechanism on a grid, for real numbers: Dwork, McSherry, Nissim, Smith 2006, §3, without floating-point noise (Mironov 2012).
 * The number is rounded to the nearest point of the grid. Two-sided geometric noise is then added in steps of the grid (geometric.ts).
 *
 * Law: γ (round(x/γ) + Z), P(Z = z) = (1-a)/(1+a) a^|z|. Numbers that differ by at most Δ are rounded to points that differ by at most
 * D = ceil(Δ/γ) steps, so a = e^(-ε/D) gives ε. The grid's step γ is a power of two, so x/γ is exact and Math.round rounds it correctly.
 *   Var = γ² 2a / (1-a)², which tends to 2 (Δ/ε)² for small steps; rounding adds an error of at most γ/2
 * Usefulness: γ (λ + 1/2), with λ of geometric.ts.
 */

import type { Ratio } from '@murmuration/shared';
import { geometric } from '../../collector/src/release/mechanisms/geometric.ts';
import type { NoiseMechanism } from '../../collector/src/release/mechanisms/mechanism.ts';
import { withinSafe } from '../../collector/src/release/mechanisms/mechanism.ts';

/** The default is so many steps or more for one sensitivity: rounding then adds less than 1 % of the noise's deviation, up to ε = 16. */
const STEPS = 64;

/**
 * Laplace noise for real numbers. The caller's number must be exact, or rounded the same way for any data: sums of doubles depend on their
 * order, and can differ by more than the sensitivity.
 *
 * @throws {RangeError} unless the sensitivity is above 0 and the grid's step is a power of two
 */
export function laplace(of: { readonly epsilon: Ratio; readonly sensitivity: number; readonly step?: number }): NoiseMechanism & {
  readonly step: number;
} {
  const { epsilon, sensitivity } = of;
  if (!(sensitivity > 0 && sensitivity < 2 ** 52)) {
    throw new RangeError(`laplace: expected a sensitivity above 0 and below 2^52, got ${sensitivity}`);
  }
  const step = of.step ?? 2 ** Math.floor(Math.log2(sensitivity / STEPS));
  if (!(step > 0 && Number.isInteger(Math.log2(step)) && 2 ** Math.log2(step) === step)) {
    throw new RangeError(`laplace: expected a power of two as the grid's step, got ${step}`);
  }
  const noise = geometric({ epsilon, sensitivity: Math.ceil(sensitivity / step) });
  return {
    ...noise,
    name: 'laplace',
    sensitivity,
    step,
    sample: (random) => step * noise.sample(random),
    release: (value, random) => step * (withinSafe(value / step) + noise.sample(random)),
    variance: step ** 2 * noise.variance,
    meanAbsoluteError: step * noise.meanAbsoluteError,
    accuracy: (beta) => step * (noise.accuracy(beta) + 0.5),
  };
}
