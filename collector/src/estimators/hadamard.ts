/**
 * Supports under Hadamard response, by shared/src/mechanisms/hadamard.ts: with C the Walsh-Hadamard transform of the tally,
 * that of v is (1/Q) Σ_λ C(m(λv)), where the ones that m(w) has in common with u are as many as Tr(u·w), modulo 2.
 * K log K steps and Q for each answer, all in whole numbers.
 */

import { type Field, fieldOf, type HadamardLaw, pointCode } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { walshHadamard } from './walsh.ts';

/** Tr(a) = a + a² + a⁴ + .. + a^(Q/2), which is 0 or 1. */
function trace({ order, add, multiply }: Field, a: number): number {
  let [sum, power] = [0, a];
  for (let size = 2; size <= order; size *= 2) {
    sum = add(sum, power);
    power = multiply(power, power);
  }
  return sum;
}

/** For each w of GF(Q) the bits m with Tr(u w) the number of ones of u and m together, modulo 2: bit k is Tr(2^k w). */
function characters(field: Field): readonly number[] {
  return Array.from({ length: field.order }, (_, w) => {
    let mask = 0;
    for (let bit = 1; bit < field.order; bit *= 2) mask += bit * trace(field, field.multiply(bit, w));
    return mask;
  });
}

export function hadamardSupports({ size, order, dimension }: HadamardLaw, tallies: Tallies): Float64Array {
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
