/** Hadamard response (HR) on the device; the law is in shared/src/mechanisms/hadamard.ts. */

import { bigEndian, fieldOf, type HadamardLaw, pointCode, vectorCount, vectorPairing } from '@murmuration/shared';
import type { Randomize } from './randomizer.ts';

export const randomizeHadamard: Randomize<HadamardLaw, number> = ({ order, dimension, inside }, index, coins) => {
  const rests = vectorCount(order, dimension - 1);
  const others = order - 1; // the number of values that vectors outside the set pair to
  const isInside = coins.flip(inside);
  const rest = coins.uniform(rests);
  const other = 1 + coins.uniform(others);
  const output = vectorPairing(fieldOf(order), dimension, pointCode(order, index), rest, isInside ? 0 : other);
  return bigEndian(output, vectorCount(order, dimension) - 1);
};
