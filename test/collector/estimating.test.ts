/** The thread that estimates: the same answers as without it, errors told, a bound on what waits, and an end. */

import { defineSchema, flag } from '@murmuration/client';
import type { MetricDocument } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EstimateRequest, estimate } from '#collector/estimates/estimates.ts';
import { createEstimating, type Estimating } from '#collector/estimates/estimates-thread.ts';

const document = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 1, per: 'month' },
  metrics: { dark: flag({ epsilon: 1, description: 'Is dark mode on?' }) },
}).document.metrics['dark'] as MetricDocument;
const evidence = (reports: number) => ({
  tallies: new Map([[0, { reports, cells: Float64Array.of(reports / 4, (3 * reports) / 4) }]]),
  reports,
  from: 20_000,
  to: 20_001,
  ones: [],
});
const question = (reports = 1_000): EstimateRequest => ({
  metric: { app: 'notes', metric: 'dark', version: 1, document },
  evidence: evidence(reports),
  minimum: 20,
  candidates: [],
});

let estimating: Estimating;
beforeEach(() => {
  estimating = createEstimating();
});
afterEach(() => estimating.close());

test('a thread estimates what this one does', async () => {
  const questions = [question(), question(8_000), question(10)];
  expect(await Promise.all(questions.map(estimating.estimate))).toEqual(questions.map(estimate));
});

test('a question that fails is told so, and the next is answered', async () => {
  const wrong = { ...question(), metric: { ...question().metric, document: { ...document, law: { mechanism: 'none' } } } };
  const [failed, fine] = await Promise.allSettled([
    estimating.estimate(wrong as unknown as EstimateRequest),
    estimating.estimate(question()),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(Error) });
  expect(fine).toMatchObject({ status: 'fulfilled', value: estimate(question()) });
});

test('a question that can not be sent is told so', async () => {
  await expect(estimating.estimate({ ...question(), candidates: (() => []) as never })).rejects.toThrow(/could not be cloned/);
  expect(await estimating.estimate(question())).toEqual(estimate(question()));
});

test('beyond 200 that wait the next is asked to come later, and then again is answered', async () => {
  const all = await Promise.allSettled(Array.from({ length: 201 }, () => estimating.estimate(question())));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
  expect(all.at(-1)).toMatchObject({ reason: { status: 503, code: 'busy' } });
  expect(await estimating.estimate(question())).toEqual(estimate(question()));
});

test('after its end the next question starts another', async () => {
  await estimating.estimate(question());
  await estimating.close();
  expect(await estimating.estimate(question())).toEqual(estimate(question()));
});
