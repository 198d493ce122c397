/**
 * The shares of a list's answers from Hadamard response (HR; see shared/src/mechanisms/hadamard.ts). With C the Walsh-Hadamard transform of
 * the tally, the support of v is (1/Q) Σ_λ C(m(λv)), where m(w) is the mask whose common ones with u are, modulo 2, as many as
 * Tr(u·w). This takes K log K steps and Q for each answer, all in integers.
 */

import {
  type Field,
  fieldOf,
  type HadamardLaw,
  hadamardLaw,
  MODULUS,
  mechanismOf,
  pointCode,
  pointCount,
  vectorCount,
} from '@murmuration/shared';
import type { AnswerEstimation } from '../estimation.ts';
import { jointSupports } from '../pairs.ts';
import { pureList } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { inSets } from '../watch/bounds.ts';
import { onDesign, type Supported } from '../watch/designs.ts';
import type { Squares } from '../watch/fit.ts';

/** Tr(a) = a + a² + a⁴ + .. + a^(Q/2), which is 0 or 1. */
function trace({ order, add, multiply }: Field, a: number): number {
  let [sum, power] = [0, a];
  for (let size = 2; size <= order; size *= 2) {
    sum = add(sum, power);
    power = multiply(power, power);
  }
  return sum;
}

/** For each w in GF(Q), the mask m for which Tr(u w) is the number of common ones of u and m, modulo 2. Bit k is Tr(2^k w). */
function characters(field: Field): readonly number[] {
  return Array.from({ length: field.order }, (_, w) => {
    let mask = 0;
    for (let bit = 1; bit < field.order; bit *= 2) mask += bit * trace(field, field.multiply(bit, w));
    return mask;
  });
}

function hadamardSupports({ size, order, dimension }: HadamardLaw, tallies: Tallies): Float64Array {
  const field = fieldOf(order);
  const masks = characters(field);
  const supports = new Float64Array(size);
  for (const { cells } of tallies.values()) {
    const transformed = walshHadamard(Float64Array.from(cells));
    for (let answer = 0; answer < size; answer++) {
      let sum = 0;
      for (let factor = 0; factor < order; factor++) {
        let mask = 0;
        // u pairs with v in reverse: the lowest coordinate of v is the highest of the mask.
        for (let i = 0, rest = pointCode(order, answer); i < dimension; i++, rest = Math.floor(rest / order)) {
          mask = mask * order + (masks[field.multiply(factor, rest % order)] as number);
        }
        sum += transformed[mask] as number;
      }
      supports[answer] = (supports[answer] as number) + sum / order;
    }
  }
  return supports;
}

/**
 * For Hadamard response, also tests how the outputs are spread, within a set and outside it. An answer determines Q - 1 of the K
 * characters, which all carry the same information. Every other character has mean 0 and variance n. So, by Parseval's theorem and without
 * another transform,
 *   Σ_{m≠0} C(m)² - Σ_v (Q S_v - n)² / (Q - 1),  Σ_{m≠0} C(m)² = K Σ_u C_u² - n²
 * has the exact mean n (K - 1 - d - (Q-2) (Q p - 1) / (Q-1)), and eigenvalues of at most n Q p.
 */
function characterSquares(law: HadamardLaw, { design: { outputs }, tallies, supports, reports, perDevice }: Supported): Squares {
  const { size, order, inside } = law;
  const p = inside / MODULUS;
  let squares = -(reports ** 2);
  for (const { cells } of tallies.values()) for (const count of cells) squares += outputs * count * count;
  for (let answer = 0; answer < size; answer++) squares -= (order * (supports[answer] as number) - reports) ** 2 / (order - 1);
  const degrees = outputs - 1 - size - ((order - 2) * (order * p - 1)) / (order - 1);
  const sparse = 1 + (degrees * degrees * perDevice) / (2 * reports * outputs);
  return { statistic: Math.max(0, squares) / (reports * perDevice), degrees, stretch: order * p * sparse * sparse };
}

export const hadamard: AnswerEstimation<HadamardLaw> = {
  ...pureList(hadamardSupports),
  named: ({ size, order }) => [(e) => hadamardLaw(size, e), (e) => hadamardLaw(size, e, order)],
  pairs: jointSupports,
  isSumFixed: () => false,
  bounds: ({ order, dimension, inside }) => inSets(inside, vectorCount(order, dimension - 1), vectorCount(order, dimension)),
  fit: onDesign({
    design: ({ order, dimension }) => ({
      answers: pointCount(order, dimension),
      outputs: vectorCount(order, dimension),
      common: 1 / order,
    }),
    support: (law) => mechanismOf(law).support(law),
    supports: hadamardSupports,
    squares: characterSquares,
  }),
  simulated: [{ of: 'list', name: 'hadamard', law: (answers, epsilon) => hadamardLaw(answers, epsilon), client: 'hadamard' }],
};

// The Walsh-Hadamard transform: F(m) = Σ_u f(u) (-1)^(u·m), where u·m is the number of ones that u and m have in common.

/** Transforms in place a vector whose length is a power of two. */
export function walshHadamard(values: Float64Array): Float64Array {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let i = start; i < start + half; i++) {
        const [a, b] = [values[i] as number, values[i + half] as number];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
  return values;
}
