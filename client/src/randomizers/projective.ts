/** Projective geometry response (PGR) on the device; the law is in shared/src/mechanisms/projective.ts. */

import { bigEndian, fieldOf, type ProjectiveLaw, pointCode, pointCount, pointIndex, vectorCount, vectorPairing } from '@murmuration/shared';
import type { Randomize } from './randomizer.ts';

export const randomizeProjective: Randomize<ProjectiveLaw, number> = ({ order, dimension, inside }, index, coins) => {
  const field = fieldOf(order);
  const isInside = coins.flip(inside);
  // A point outside the set lies on exactly one vector that pairs to 1. A point inside lies on one whose other coordinates form a point.
  // One of each is drawn, and the coin selects the result.
  const within = coins.uniform(pointCount(order, dimension - 1));
  const without = coins.uniform(vectorCount(order, dimension - 1));
  const rest = isInside ? pointCode(order, within) : without;
  const vector = vectorPairing(field, dimension, pointCode(order, index), rest, isInside ? 0 : 1);
  return bigEndian(pointIndex(field, vector), pointCount(order, dimension) - 1);
};
