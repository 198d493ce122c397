/** Local hashing by name, through the client: what it sends, what it keeps, and what its reports say. */

import { choice, defineSchema, histogram, permanent, text } from '@murmuration/client';
import { localHashing, stringHashing } from '@murmuration/client/mechanisms';
import { bucketOf, fromBase64url, type LocalHashingLaw, localHashing as law, type MetricDocument, MODULUS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { parseBatch, unpackReports } from '#collector/ingest/parse-batch.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { binomial, upperTail } from '../proofs/statistics.ts';
import { device, FIRST_DAY } from './device.ts';

const MANY = Array.from({ length: 100 }, (_, i) => `answer ${i}`);
const schema = defineSchema({
  app: 'hashed',
  version: 1,
  budget: { epsilon: 20, per: 'month' },
  metrics: {
    one: choice(MANY, { epsilon: 1, description: 'Which of a hundred?', mechanism: localHashing({ buckets: 7 }) }),
    span: histogram([0, 10, 100], { epsilon: 1, description: 'How long?', mechanism: localHashing() }),
    daily: permanent(choice(MANY, { epsilon: 2, every: 'day', description: 'Which today?', mechanism: localHashing() }), {
      epsilon: 4,
      renew: 'year',
    }),
    word: permanent(text({ epsilon: 1, every: 'day', description: 'Which word?', mechanism: stringHashing() }), {
      epsilon: 3,
      renew: 'year',
    }),
  },
});
const metrics = schema.document.metrics as { readonly [name: string]: MetricDocument };
const published = publish(schema.document);
const schemas = new Map([[schema.wire, published]]);

/** What a device sends of a metric on each of so many days, whatever it records. */
async function days(metric: 'daily' | 'word', count: number, seed: number) {
  const one = device(schema, { seed });
  for (let day = 0; day < count; day++) {
    one.setDay(day);
    one.telemetry.record(metric, MANY[day % MANY.length] as never);
    await one.telemetry.flush();
  }
  return one.uploads.flatMap(({ body }, day) =>
    unpackReports(published, parseBatch(body, schemas, FIRST_DAY + day).reports).map(({ report }) => report),
  );
}

describe('a permanent metric', () => {
  test.each(['daily', 'word'] as const)('%s keeps its cohort for the epoch, and its reports scatter around one bucket', async (metric) => {
    const reports = await days(metric, 60, 3);
    expect(reports).toHaveLength(60);
    const { law } = metrics[metric] as MetricDocument;
    const { buckets, irr } = law as Required<LocalHashingLaw>;
    // A list's cell is cohort and bucket, a string's cohort is alone.
    const cohorts = reports.map(({ cohort, cells }) => (metric === 'word' ? cohort : Math.floor((cells[0] as number) / buckets)));
    expect(new Set(cohorts).size).toBe(1);
    const counts = new Map<number, number>();
    for (const { cells } of reports) counts.set(cells[0] as number, (counts.get(cells[0] as number) ?? 0) + 1);
    // The stored bucket, the likeliest by far, is the one that is said most.
    expect(upperTail(binomial(Math.max(...counts.values()), irr.truth / MODULUS, 60))).toBeGreaterThan(1e-6);
    expect(counts.size).toBeGreaterThan(1);
  });
});

test('a named mechanism’s integers stand in the document, and every list takes it', () => {
  expect(metrics['one']?.law).toMatchObject({ mechanism: 'local-hashing', size: 100, buckets: 7 });
  expect(metrics['span']?.law).toMatchObject({ mechanism: 'local-hashing', size: 4 });
  expect(metrics['daily']?.law).toMatchObject({ mechanism: 'local-hashing', irr: expect.anything() });
  expect(metrics['word']?.law).toMatchObject({ mechanism: 'string-hashing', irr: expect.anything() });
});

test('buckets that are neither 4 nor a prime below the number of answers are refused, and the metric is named', () => {
  const define = () =>
    defineSchema({
      app: 'hashed',
      version: 1,
      budget: { epsilon: 1, per: 'month' },
      metrics: { one: choice(MANY, { epsilon: 1, description: 'x', mechanism: localHashing({ buckets: 6 }) }) },
    });
  expect(define).toThrow(/schema.metrics.one: local-hashing: expected as many buckets as the 100 answers, or 4 or a prime below/);
});

test('a report says the answers that its cohort puts in its bucket', async () => {
  const one = device(schema, { seed: 9 });
  one.telemetry.record('one', 'answer 42');
  await one.telemetry.flush();
  const { reports } = JSON.parse(one.uploads[0]?.body as string) as { readonly reports: readonly [string, string][] };
  const bytes = fromBase64url(reports[0]?.[1] as string);
  const of = metrics['one']?.law as LocalHashingLaw;
  const cell = law.decode(of, bytes).cells[0] as number;
  const said = MANY.filter((_, answer) => schema.questions.one.says?.(of, [...bytes], answer));
  expect(said).toEqual(MANY.filter((_, answer) => bucketOf(7, Math.floor(cell / 7), answer) === cell % 7));
  expect(said.length).toBeGreaterThan(5);
});
