/** Attacks on what is released: each fails against ours, or takes what the budget was charged for. docs/attacks.md shows them. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { averaging, averagingChart } from './averaging.ts';
import { svgOf } from './chart.ts';
import { collusion } from './collusion.ts';
import { lowBits, lowBitsChart } from './low-bits.ts';

const picture = (name: string): string => readFileSync(new URL(`../../docs/attacks/${name}.svg`, import.meta.url), 'utf8');

test('low bits of textbook noise prove the count at any ε, and those of ours at none', () => {
  const proofs = lowBits();
  for (const { textbook, ours } of proofs) {
    expect(textbook).toBeGreaterThan(0.1);
    expect(ours).toBe(0);
  }
  expect(svgOf(lowBitsChart(proofs))).toBe(picture('low-bits'));
});

test('an average of fresh answers finds the count, is charged for each, and an average of stored answers finds nothing more', () => {
  const all = averaging();
  const [first, last] = [all[0] as (typeof all)[number], all.at(-1) as (typeof all)[number]];
  expect(last.fresh).toBeLessThan(first.fresh / 10);
  expect(last.epsilon).toBe(500);
  for (const { stored } of all) expect(Math.abs(stored / first.stored - 1)).toBeLessThan(0.25);
  expect(svgOf(averagingChart(all))).toBe(picture('averaging'));
});

test('colluders need as many as the formula says, so offsets do not stop them', () => {
  // Near 1 or 2 analysts the mean is not normal, and 95 % of 1,000 runs leave some room.
  for (const { needed, measured } of collusion()) expect(Math.abs(measured - needed)).toBeLessThanOrEqual(0.2 * needed + 2);
});
