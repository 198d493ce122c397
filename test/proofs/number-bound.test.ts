/** How far the chooser's laws of means and counts are from the least worst-case variance that any mechanism has. */

import { countLaw, meanLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { boundOf, rows, worstOf } from './number-bound.ts';

const EPSILONS = [0.5, 1, 1.5, 2, 3, 4, 6];

test('means, and counts up to 5, 20 and 100, have a bound at each ε', () => {
  expect(rows.map(({ max, epsilon }) => [max, epsilon])).toEqual([null, 5, 20, 100].flatMap((max) => EPSILONS.map((e) => [max, e])));
});

describe.each(rows)('up to $max at ε = $epsilon', (row) => {
  test('no law is below the bound, and the chosen one is at most 4 % above it', () => {
    const ratio = worstOf(row, scoresOf(row.max === null ? meanLaw(row.epsilon) : countLaw(row.max, row.epsilon))) / boundOf(row);
    expect(ratio).toBeGreaterThan(1 - 1e-9);
    expect(ratio).toBeLessThan(1.04);
  });
});
