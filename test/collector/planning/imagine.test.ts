/** Answers of imagined users: each type of question shows the truth within its error, and the weights are the truth. */

import {
  best,
  choice,
  choices,
  count,
  defineSchema,
  discover,
  distribution,
  flag,
  histogram,
  joint,
  mean,
  permanent,
  text,
} from '@murmuration/client';
import { expect, test } from 'vitest';
import { imagine } from '#collector/planning/simulate/imagine.ts';

const ask = { epsilon: 2, description: 'a question' };
const daily = { epsilon: 0.5, every: 'day', description: 'a question' } as const;
const long = Array.from({ length: 40 }, (_, i) => `country ${i}`);
const { document } = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 900, per: 'year' },
  metrics: {
    flag: flag(ask),
    kept: permanent(flag(daily), { epsilon: 2, renew: 'year' }),
    choice: choice(['free', 'pro', 'team'], ask),
    other: choice(['free', 'pro'], { ...ask, other: true }),
    long: choice(long, ask),
    choices: choices(['free', 'pro', 'team'], { ...ask, atMost: 2 }),
    best: best(['list', 'grid'], { ...ask, utility: { few: [1, 0], many: [0, 1] } }),
    joint: joint({ plan: ['free', 'pro'], dark: [true, false] }, ask),
    histogram: histogram([1, 10, 100], ask),
    mean: mean([10, 60], ask),
    count: count(3, ask),
    distribution: distribution([10, 60], ask),
    text: text(ask),
    discover: discover(ask),
  },
});
const USERS = 10_000;

test.each(Object.keys(document.metrics).filter((metric) => !['text', 'discover'].includes(metric)))('%s', (metric) => {
  const { given, range, rows, isNumber } = imagine(document, metric, [20, 60], USERS, 1) ?? {};
  expect(given?.length).toBeGreaterThan(1);
  expect(given?.length).toBeLessThanOrEqual(12);
  expect(given?.slice(0, 2).map(({ weight }) => weight)).toEqual([20, 60]);
  expect(rows?.length).toBe(isNumber ? 1 : given?.length);
  if (!isNumber) expect(rows?.map(({ label }) => label)).toEqual(given?.map(({ label }) => label));
  const [least = 0, most = 0] = range ?? [];
  for (const { estimate, low, high, truth } of rows ?? []) {
    expect(truth).toBeGreaterThanOrEqual(least);
    expect(truth).toBeLessThanOrEqual(most);
    expect(high).toBeGreaterThan(low);
    expect(high - low).toBeLessThan(0.25 * (most - least));
    // The seed is fixed, and 2.5 widths are 9.8 standard errors.
    expect(Math.abs(estimate - truth)).toBeLessThan(2.5 * (high - low));
  }
});

test('users answer as the weights say, all alike without any', () => {
  const truths = (weights: readonly number[]) => imagine(document, 'choice', weights, USERS, 1)?.rows.map(({ truth }) => truth);
  expect(truths([0, 30, 10])).toEqual([0, 0.75, 0.25]);
  expect(truths([0, 0, 0])).toEqual([1 / 3, 1 / 3, 1 / 3]);
  expect(imagine(document, 'mean', [0, 0, 0, 0, 1], USERS, 1)?.rows).toMatchObject([{ label: 'mean', truth: 60 }]);
});

test('strings and unknown metrics are not imagined', () => {
  for (const metric of ['text', 'discover', 'none', 'constructor']) expect(imagine(document, metric, [], USERS, 1)).toBeUndefined();
});
