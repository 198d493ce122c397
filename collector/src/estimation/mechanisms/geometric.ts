/**
 * The scores of the two-sided geometric mechanism: the unique solution φ of E[φ(output) | i] = i for all counts i of 0 .. N. It exactly
 * inverts the clamping, and the rounding of the law to integers. With δ_j = φ_{j+1} - φ_j and D(m) the mass of Z at m, summation by parts
 * turns E[φ | i] - E[φ | i-1] = 1 into the symmetric Toeplitz system
 *   Σ_j D(|j - i|) δ_j = 1,  i = 0 .. N-1,   and by symmetry φ_0 = (N - Σ δ) / 2.
 * For real a the solution is φ_0 = -a/(1-a), φ_j = j, φ_N = N + a/(1-a): an end cell scores the mean of its tail.
 */

import { type GeometricLaw, geometricLaw, MODULUS } from '@murmuration/shared';
import { Matrix, solve } from 'ml-matrix';
import type { NumberEstimation } from '../estimation.ts';
import { type Rows, rowsBy } from '../matrices.ts';
import type { Scores } from '../number.ts';
import { meanByScores } from '../parts.ts';

/** The row of a count: P(output). */
function rowOf({ tails }: GeometricLaw, count: number): readonly number[] {
  const max = tails.length;
  const below = (j: number): number => {
    if (j < 0) return 0;
    if (j >= max) return MODULUS;
    return j < count ? (tails[count - j - 1] as number) : MODULUS - (tails[j - count] as number);
  };
  return Array.from({ length: max + 1 }, (_, j) => (below(j) - below(j - 1)) / MODULUS);
}

function solved({ tails }: GeometricLaw): readonly number[] {
  const max = tails.length;
  const mass = (m: number): number => (m === 0 ? MODULUS - 2 * (tails[0] as number) : (tails[m - 1] as number) - (tails[m] as number));
  const toeplitz = Matrix.zeros(max, max);
  for (let i = 0; i < max; i++) for (let j = 0; j < max; j++) toeplitz.set(i, j, mass(Math.abs(i - j)) / MODULUS);
  const steps = solve(toeplitz, Matrix.ones(max, 1)).to1DArray();
  let score = (max - steps.reduce((sum, step) => sum + step, 0)) / 2;
  return [
    score,
    ...steps.map((step) => {
      score += step;
      return score;
    }),
  ];
}

/** Scores, scaled from counts to a range of width 1. */
export function geometricScores(law: GeometricLaw): Scores {
  const max = law.tails.length;
  const scores = solved(law);
  const variances = Array.from({ length: max + 1 }, (_, count) =>
    rowOf(law, count).reduce((sum, p, j) => sum + p * ((scores[j] as number) - count) ** 2, 0),
  ).map((variance) => variance / (max * max));
  return {
    values: scores.map((score) => score / max),
    // Between two counts, linear interpolation of their values.
    varianceAt: (place) => {
      const below = Math.min(max - 1, Math.floor(place * max));
      const rest = place * max - below;
      return (1 - rest) * (variances[below] as number) + rest * (variances[below + 1] as number);
    },
    worst: Math.max(...variances),
  };
}

/** P(output | count) of two-sided geometric noise, with the tails in the end cells (shared/src/mechanisms/geometric.ts). */
export function noiseRows({ tails }: { readonly tails: readonly number[] }): Rows {
  const most = tails.length;
  const below = (input: number, output: number): number => {
    if (output <= 0 || output > most) return output <= 0 ? 0 : MODULUS;
    return output <= input ? (tails[input - output] as number) : MODULUS - (tails[output - input - 1] as number);
  };
  return rowsBy(most + 1, most + 1, (input, output) => (below(input, output + 1) - below(input, output)) / MODULUS);
}

export const geometric: NumberEstimation<GeometricLaw> = {
  ...meanByScores<GeometricLaw>(geometricScores, noiseRows),
  named: ({ tails }) => [(e) => geometricLaw(tails.length, e)],
  simulated: [{ of: 'count', name: 'geometric', client: 'geometric' }],
};
