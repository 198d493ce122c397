/** Estimates beside a released number of reports: the shares of the exact ones, the error of the released number, and no trace of the exact one. */

import { parseBatch, publish } from '@murmuration/collector';
import { dayNumber, wireName } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { estimate } from '#collector/answers/estimates.ts';
import { publishedEstimates } from '#collector/answers/published-estimates.ts';
import type { Tally } from '#collector/estimation/tally.ts';
import { createCatalog, type PublishedMetric } from '#collector/schemas/catalog.ts';
import { foldBatches } from '#collector/storage/tallying/recent-writes.ts';
import { bodyOf, NOW, schema } from '../../kit/app.ts';

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

test.each(['plan', 'dark', 'speed'])('%s: with the exact number they are the exact estimates, rounded to a tenth of the error', (name) => {
  const request = requestOf(name);
  const [exact, found] = [estimate(request), publishedEstimates(request, 90)];
  expect(found.reports).toBe(90);
  for (const [i, { label, estimate: share, standardError }] of exact.answers.entries()) {
    const answer = found.answers[i];
    expect(answer?.label).toBe(label);
    expect(Math.abs((answer?.estimate ?? 0) - share)).toBeLessThanOrEqual(standardError / 20 + 1e-12);
    expect(Math.abs((answer?.standardError ?? 0) - standardError)).toBeLessThanOrEqual(standardError / 20 + 1e-12);
  }
});

test('the error is that of the released number, as the law has it', () => {
  const request = requestOf('plan');
  const four = publishedEstimates(request, 360);
  for (const [i, { estimate: share, standardError }] of publishedEstimates(request, 90).answers.entries()) {
    expect(four.answers[i]?.standardError ?? 0).toBeGreaterThan(standardError * 0.42);
    expect(four.answers[i]?.standardError ?? 0).toBeLessThan(standardError * 0.58);
    expect(Math.abs((four.answers[i]?.estimate ?? 0) - share)).toBeLessThan(standardError / 5);
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
  expect(publishedEstimates(twice, 100)).toEqual(publishedEstimates(request, 100));
});

test('shares are of the released number: tallies that round to the same whole numbers publish the same', () => {
  // Everything is scaled to a third. What is left of the exact numbers is lost by rounding.
  const request = requestOf('plan');
  const [cohort, { cells }] = [...request.evidence.tallies][0] as [number, Tally];
  const of = (reports: number, counts: Float64Array) => ({
    ...request,
    evidence: { ...request.evidence, reports, tallies: new Map([[cohort, { reports, cells: counts }]]) },
  });
  const thirds = cells.map((count) => Math.round(count / 3));
  const one = publishedEstimates(of(30, thirds), 30);
  for (const more of [0, 1])
    expect(
      publishedEstimates(
        of(
          90,
          thirds.map((count) => 3 * count + more),
        ),
        30,
      ),
    ).toEqual(one);
});

test('fewer released reports than the minimum, or below zero, give no estimates', () => {
  expect(publishedEstimates(requestOf('plan'), 19).answers).toEqual([]);
  expect(publishedEstimates(requestOf('plan'), -3)).toMatchObject({ reports: -3, answers: [] });
  const none = { ...requestOf('plan'), evidence: { tallies: new Map(), reports: 0, from: null, to: null, ones: [] } };
  expect(publishedEstimates(none, 25).answers).toEqual([]);
});
