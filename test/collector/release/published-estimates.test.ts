/** Estimates beside a released number of reports: the shares of the exact ones, the error of the released number, and no trace of the exact one. */

import { parseBatch, publish } from '@murmuration/collector';
import { dayNumber, wireName } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { estimate } from '#collector/answers/estimates.ts';
import { publishedEstimates } from '#collector/answers/published-estimates.ts';
import { normalTail } from '#collector/estimation/statistics/tails.ts';
import { createCatalog, type PublishedMetric } from '#collector/schemas/catalog.ts';
import { foldBatches } from '#collector/storage/tallying/recent-writes.ts';
import { bodyOf, NOW, schema } from '../../kit/app.ts';
import { coveredIn, fleetOf } from './published-fleet.ts';

const { metrics } = createCatalog([schema.document]);
const published = publish(schema.document);
const schemas = new Map([[wireName(schema.document), published]]);
const bodies = await Promise.all(Array.from({ length: 90 }, (_, i) => bodyOf(i)));
const tallies = foldBatches(
  published,
  bodies.map((body) => parseBatch(body, schemas, dayNumber(NOW))),
);

const requestOf = (name: string) => {
  const metric = metrics.find((each) => each.metric === name) as PublishedMetric;
  const day = dayNumber(NOW);
  return {
    metric,
    evidence: { tallies: tallies.get(name) ?? new Map(), reports: 90, from: day, to: day, ones: [] },
    minimum: 20,
    candidates: [],
  };
};

test.each(['plan', 'dark', 'speed'])('%s: with the exact number they are the exact estimates, rounded to half the error', (name) => {
  const request = requestOf(name);
  const [exact, found] = [estimate(request), publishedEstimates(request, { value: 90, within: 0 })];
  expect(found.reports).toBe(90);
  for (const [i, { label, estimate: share, standardError, low, high }] of exact.answers.entries()) {
    const answer = found.answers[i];
    expect(answer?.label).toBe(label);
    expect(Math.abs((answer?.estimate ?? 0) - share)).toBeLessThanOrEqual(standardError / 4 + 1e-12);
    expect(Math.abs((answer?.standardError ?? 0) - standardError)).toBeLessThanOrEqual(standardError / 20 + 1e-12);
    expect(answer?.low).toBeLessThanOrEqual(low + 1e-9);
    expect(answer?.high).toBeGreaterThanOrEqual(high - 1e-9);
  }
});

test('the error is that of the released number less the bound of its noise, as the law has it', () => {
  const request = requestOf('plan');
  const exact = publishedEstimates(request, { value: 360, within: 0 });
  expect(publishedEstimates(request, { value: 400, within: 40 }).answers).toEqual(exact.answers);
  for (const [i, { estimate: share, standardError }] of publishedEstimates(request, { value: 90, within: 0 }).answers.entries()) {
    expect(exact.answers[i]?.standardError ?? 0).toBeGreaterThan(standardError * 0.42);
    expect(exact.answers[i]?.standardError ?? 0).toBeLessThan(standardError * 0.58);
    expect(Math.abs((exact.answers[i]?.estimate ?? 0) - share)).toBeLessThan(standardError / 2);
  }
});

test('tallies with the same shares and another exact number publish the same estimates and errors', () => {
  const request = requestOf('plan');
  const doubled = new Map(
    [...request.evidence.tallies].map(([cohort, { reports, cells }]) => [
      cohort,
      { reports: 2 * reports, cells: cells.map((each: number) => 2 * each) },
    ]),
  );
  const twice = { ...request, evidence: { ...request.evidence, tallies: doubled, reports: 180 } };
  for (const released of [
    { value: 100, within: 0 },
    { value: 100, within: 77 },
  ])
    expect(publishedEstimates(twice, released)).toEqual(publishedEstimates(request, released));
});

test('fewer released reports than the minimum, or below zero, give no estimates', () => {
  expect(publishedEstimates(requestOf('plan'), { value: 19, within: 3 }).answers).toEqual([]);
  expect(publishedEstimates(requestOf('plan'), { value: -3, within: 3 })).toMatchObject({ reports: -3, answers: [] });
  const none = { ...requestOf('plan'), evidence: { tallies: new Map(), reports: 0, from: null, to: null, ones: [] } };
  expect(publishedEstimates(none, { value: 25, within: 3 }).answers).toEqual([]);
});

const FALSE_ALARM = 1e-6;

test.each([
  ['five', 3, 300],
  ['five', 20, 300],
  ['five', 200, 300],
  ['five', 2_000, 150],
  ['hundred', 3, 60],
  ['hundred', 20, 60],
  ['hundred', 200, 60],
  ['hundred', 2_000, 40],
  ['thousand', 3, 20],
  ['thousand', 20, 20],
  ['thousand', 200, 20],
  ['thousand', 2_000, 20],
  ['number', 3, 300],
  ['number', 20, 300],
  ['number', 200, 300],
  ['number', 2_000, 100],
] as const)(
  '%s: of %d reports, intervals beside a number with a standard deviation of 113 hold in 95 % of releases',
  (name, reports, rounds) => {
    const covered = coveredIn(name, reports, rounds);
    const mean = covered.reduce((sum, each) => sum + each, 0) / rounds;
    const spread = Math.sqrt(covered.reduce((sum, each) => sum + (each - mean) ** 2, 0) / rounds ** 2);
    // The mean of many rounds is nearly normal; seeds are fixed.
    expect(normalTail((0.95 - mean) / Math.max(spread, 1e-3))).toBeGreaterThan(FALSE_ALARM);
  },
);

test('whatever number is released, of any fleet and any type, estimates are finite', () => {
  for (const name of ['five', 'hundred', 'number', 'spread'] as const) {
    for (const reports of [0, 1, 3, 20]) {
      const { request } = fleetOf(name, reports, 1);
      for (const value of [-50, 0, 1, 20, 21, 60, 500])
        for (const { estimate, standardError, low, high } of publishedEstimates({ ...request, minimum: 1 }, { value, within: 40 }).answers)
          for (const number of [estimate, standardError, low, high])
            expect(number, `${name}, ${reports}, ${value}`).toSatisfy(Number.isFinite);
    }
  }
});

test('shares of a long list sum to 1 nearly, as the exact ones do', () => {
  const { request } = fleetOf('thousand', 2_000, 1);
  const sum = (all: readonly { readonly estimate: number }[]): number => all.reduce((total, { estimate: share }) => total + share, 0);
  const exact = estimate(request).answers;
  const released = publishedEstimates(request, { value: 1_900, within: 200 }).answers;
  expect(Math.abs(sum(exact) - 1)).toBeLessThan(0.2);
  expect(Math.abs(sum(released) - 1)).toBeLessThan(0.3);
  for (const [i, { estimate: share, standardError }] of released.entries())
    expect(Math.abs(share - (exact[i]?.estimate ?? 0))).toBeLessThanOrEqual(0.27 * standardError);
});
