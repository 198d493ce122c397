/** Intervals of means over 1,500 rounds; `npm test` has 200. */

import { test } from 'vitest';
import { expectCovered, MEAN_EPSILONS } from './means.ts';

test.each(MEAN_EPSILONS)('intervals at ε = %d hold the mean of the numbers, whatever they are', (epsilon) => expectCovered(epsilon, 1_500));
