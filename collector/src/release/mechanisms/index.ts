/**
 * The types of all release mechanisms. They publish what the collector knows exactly, under central differential privacy: Dwork, McSherry,
 * Nissim, Smith 2006, "Calibrating Noise to Sensitivity in Private Data Analysis". Neighbours are two tables that differ by one unit of
 * privacy. Inputs and draws are integers or rationals. Floating-point numbers occur only in bounds, and in what is computed from outputs.
 */

import type { Ratio } from '@murmuration/shared';
import type { Random } from './random.ts';

/** What a release spends, whatever the data are. */
export interface Spending {
  /** Pure ε, exact. */
  readonly epsilon: Ratio;
  /** ρ of zero-concentrated differential privacy. For pure ε it is ε²/2 (Bun and Steinke 2016, proposition 1.4). */
  readonly rho: Ratio;
}

/** A mechanism whose parameters are chosen. It holds no data. */
export interface ReleaseMechanism<Input, Output> extends Spending {
  readonly name: string;
  /** The most by which one unit of privacy changes the input, in the input's units and the norm that the mechanism's file names. */
  readonly sensitivity: number;
  /** Draws one output. Each call spends once more. */
  readonly release: (input: Input, random: Random) => Output;
  /** (λ, δ)-usefulness: the least stated λ such that the error is above λ with a probability of at most `beta`, whatever the data are. */
  readonly accuracy: (beta: number) => number;
}

/** A mechanism that adds noise to a number. Its error does not depend on the number. */
export interface NoiseMechanism extends ReleaseMechanism<number, number> {
  /** The noise alone, in the number's units. */
  readonly sample: (random: Random) => number;
  /** Of the noise. Its mean is 0. */
  readonly variance: number;
  readonly meanAbsoluteError: number;
}
