/** Every type of question from `record` to its estimates: what all devices record is what the collector finds. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeviceQuestions, defineSchema } from '@murmuration/client';
import { createCollector, type MetricEstimates } from '@murmuration/collector';
import { wireName } from '@murmuration/shared';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseBatch } from '#collector/ingest/parse-batch.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { device, FIRST_DAY } from '../../client/device.ts';
import { upperTail } from '../../proofs/statistics.ts';
import { questionSpecimens } from '../../shared/question-specimens.ts';

const PEOPLE = 600;
const specimens = Object.entries(questionSpecimens);
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: specimens.length, per: 'month' },
  devices: PEOPLE,
  metrics: Object.fromEntries(specimens.map(([type, { question }]) => [type, question])) as DeviceQuestions,
});
const data = await mkdtemp(join(tmpdir(), 'murmuration-'));
const collector = await createCollector({
  open: true,
  schemas: [schema.document],
  data,
  candidates: { text: ['tea', 'ink'] },
  now: () => FIRST_DAY * 86_400_000,
});
afterAll(async () => {
  await collector.close();
  await rm(data, { recursive: true });
});

let address = '';
beforeAll(async () => {
  const schemas = new Map([[wireName(schema.document), publish(schema.document)]]);
  for (let person = 0; person < PEOPLE; person++) {
    const one = device(schema, { seed: 9_000 + person });
    for (const [type, { value }] of specimens) one.telemetry.record(type, value as never);
    await one.telemetry.flush();
    await Promise.all(
      one.uploads.map(({ body }) => {
        const hash = Buffer.from(String(body)).toString('hex');
        return collector.store.append({ ...parseBatch(String(body), schemas, FIRST_DAY), hash });
      }),
    );
  }
  address = await collector.listen(0, '127.0.0.1');
});

/** Estimates of a metric. A collector on a machine that is busy with something else may refuse what takes too long, and is asked again. */
async function answerOf(metric: string): Promise<MetricEstimates> {
  for (;;) {
    const isSearch = metric === 'discover'; // its strings are on no list
    const response = await fetch(`${address}/v1/metrics/${metric}/${isSearch ? 'decode' : 'estimates'}`);
    const { strings, ...answer } = (await response.json()) as MetricEstimates & { readonly strings?: MetricEstimates['answers'] };
    if (response.status !== 503) return { ...answer, answers: strings ?? answer.answers };
  }
}

/** Seeded, so the verdict is the same on every run. Another seed would fail below p = 10⁻⁶. */
test.each(specimens)('%s', async (type, { estimated }) => {
  const found = await answerOf(type);
  expect(found).toMatchObject({ type, reports: PEOPLE });
  const [row, truth] =
    typeof estimated === 'string'
      ? [found.answers.find(({ label }) => label === estimated), 1]
      : [found.distribution?.mean ?? found.answers[0], estimated.mean];
  const { estimate = Number.NaN, standardError = Number.NaN } = row ?? {};
  expect(upperTail({ statistic: ((estimate - truth) / standardError) ** 2, degrees: 1 })).toBeGreaterThan(1e-6);
  const others = found.answers.filter(({ label }) => typeof estimated === 'string' && label !== estimated);
  for (const other of others) expect(other.estimate, other.label).toBeLessThan(estimate);
});
