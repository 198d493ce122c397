/** The sum of what was reported, because it was large: without bias to speak of, and its interval holds. */

import { seededRng, words } from '@murmuration/client/testing';
import { expect, test } from 'vitest';
import { type Reported, selectedSum } from '#collector/estimation/statistics/selection.ts';
import { Z95 } from '#collector/estimation/statistics/tails.ts';
import { atMost } from './statistics.ts';

const word = words(seededRng(19));
const uniform = (): number => (word() + 0.5) / 2 ** 32;
const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

const RUNS = 4_000;
const THRESHOLD = 4;

/** Means in standard errors, the most frequent first. */
const SPECTRA: readonly (readonly [string, readonly number[]])[] = [
  ['Zipf', Array.from({ length: 3_000 }, (_, i) => 70 / (i + 2))],
  ['Zipf, few', Array.from({ length: 300 }, (_, i) => 20 / (i + 1))],
  ['geometric', Array.from({ length: 200 }, (_, i) => 40 * 0.9 ** i)],
  ['exponential, 100', Array.from({ length: 100 }, (_, i) => 15 * Math.exp(-i / 20))],
  ['one size', Array.from({ length: 100 }, () => 3.5)],
  ['even', Array.from({ length: 60 }, (_, i) => 9 - i * 0.15)],
  ['nothing', Array.from({ length: 3_000 }, () => 0)],
];

/** One draw: the reported ones, and the sum of their means. */
function drawn(means: readonly number[]): { readonly reported: readonly Reported[]; readonly truth: number } {
  const reported: Reported[] = [];
  let truth = 0;
  for (const mean of means) {
    const estimate = mean + normal();
    if (estimate < THRESHOLD) continue;
    reported.push({ estimate, standardError: 1, threshold: THRESHOLD });
    truth += mean;
  }
  return { reported, truth };
}

/** The share of runs in which an interval of 95 % may miss. */
const MOST_MISSED = 0.05;

test.each(SPECTRA)('the interval holds the sum of what was reported: %s', (_, means) => {
  let [runs, missed] = [0, 0];
  for (let run = 0; run < RUNS; run++) {
    const { reported, truth } = drawn(means);
    if (reported.length === 0) continue;
    const { sum, variance } = selectedSum(reported);
    runs++;
    if (Math.abs(sum - truth) > Z95 * Math.sqrt(variance)) missed++;
  }
  expect(1 - atMost(missed - 1, runs, MOST_MISSED)).toBeGreaterThan(1e-6);
});

test('the plain sum is too large by a standard error and more', () => {
  const means = (SPECTRA[0] as (typeof SPECTRA)[0])[1];
  let bias = 0;
  for (let run = 0; run < RUNS; run++) {
    const { reported, truth } = drawn(means);
    const plain = reported.reduce((total, { estimate }) => total + estimate, 0);
    bias += (plain - truth) / Math.sqrt(reported.length) / RUNS;
  }
  expect(bias).toBeGreaterThan(1);
});

test('nothing was reported', () => {
  expect(selectedSum([])).toEqual({ sum: 0, variance: 0 });
});
