/**
 * The integers of a mean's small laws, which number-shapes.py beside this file finds: none can be changed for much less variance. The bound over all
 * mechanisms is in number-bound.test.ts.
 */

import { meanLaw, type Shape, scoredLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { SMALL, smallShape } from '#shared/mechanisms/number.ts';
import { range } from './channel.ts';

/** As the script prints it, at most 0.26 % above the best scores of its grid and window: no scores are better by more. */
const PART = 0.003;

const EPSILONS = range(27).map((i) => (i + 1) / 10);

const worst = (shape: Shape, epsilon: number): number => scoresOf(scoredLaw(shape, epsilon)).worst;

describe.each(SMALL.map((small) => ({ small, grid: small[0], window: small[1] })))(
  '$grid steps, windows of $window',
  ({ small, grid, window }) => {
    const chosen = EPSILONS.filter((epsilon) => {
      const law = meanLaw(epsilon);
      return law.grid === grid && law.window === window;
    });

    test('is chosen at some ε', () => {
      expect(chosen.length).toBeGreaterThan(1);
    });

    test.each(chosen)('at ε = %d no integer is better by one more or less', (epsilon) => {
      const least = worst(smallShape(small, Math.exp(epsilon)), epsilon);
      for (let k = 2; k < small.length; k++) {
        for (const change of [-1, 1]) {
          const changed = small.with(k, (small[k] as number) + change) as unknown as typeof small;
          expect(worst(smallShape(changed, Math.exp(epsilon)), epsilon)).toBeGreaterThan((1 - PART) * least);
        }
      }
    });
  },
);
