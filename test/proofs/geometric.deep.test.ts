/** The two-sided geometric mechanism over all words below 2^16; the conformance suite has words below 2^12. */

import { geometricLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { randomizeGeometric } from '#client/randomizers/geometric.ts';
import { geometricRow } from '../conformance/specimens/geometric.ts';
import { range } from './channel.ts';
import { exactDistribution } from './enumerate.ts';

const MODULUS = 2 ** 16;

test.each([
  [1, 1],
  [2, 1],
  [5, 2],
  [9, 2],
])('has exactly the channel of its law up to %i, derived at ε = %d', (max, epsilon) => {
  const law = geometricLaw(max, epsilon, MODULUS);
  for (const count of range(max + 1)) {
    const exact = exactDistribution((coins) => randomizeGeometric(law, count / max, coins, MODULUS), MODULUS);
    expect(exact).toEqual(geometricRow(law, count, MODULUS));
  }
});
