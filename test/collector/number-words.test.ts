/** The one formatter of numbers gives what `Intl` gives for whole numbers, without loading its data. */

import { expect, test } from 'vitest';
import { count, digits, percent } from '#collector/base/numbers.ts';

test('whole numbers have commas as in English', () => {
  for (const value of [0, 7, 999, 1_000, 12_345, 100_000, 1_234_567, 8_000_000_000, -1_234])
    expect(count(value)).toBe(value.toLocaleString('en'));
});

test.each([
  [0.012345, 3, '1.23 %'],
  [0.5, 3, '50 %'],
  [1, 2, '100 %'],
  [0.000012345, 2, '0.0012 %'],
])('%d in %d digits is %s', (share, most, text) => {
  expect(percent(share, most)).toBe(text);
  expect(`${digits(100 * share, most)} %`).toBe(text);
});
