/** What ends a batch: 204, or a refusal of the closed list in the collector's own words. Whatever else answers, the batch is kept. */

import { type Delivery, defineSchema, flag, preview } from '@murmuration/client';
import { FINAL_REFUSALS, REFUSALS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { device, refusalAs, results } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { dark: flag(ask) } });
const HTML = '<!doctype html><title>405 Not Allowed</title>';
const DAY = 86_400_000;

/** Records, and has the upload answered so once. Says how many batches wait, and the last outcome. */
async function answered(delivery: Delivery): Promise<readonly [waiting: number, last: string | undefined]> {
  const { telemetry, outcomes } = device(schema, { answer: () => delivery });
  telemetry.record('dark', true);
  await telemetry.flush();
  return [(await preview(telemetry)).length, outcomes.at(-1)?.result];
}

test('204 settles a batch', async () => {
  expect(await answered({ status: 204 })).toEqual([0, 'delivered']);
});

test.each(Object.entries(FINAL_REFUSALS))('%s, as %i, refuses it for good, in the words of the collector', async (code, status) => {
  const { telemetry, outcomes } = device(schema, { answer: () => refusalAs(code) });
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(await preview(telemetry)).toEqual([]);
  expect(refusalAs(code).status).toBe(status);
  expect(outcomes.at(-1)).toEqual({ metric: 'dark', result: 'refused', reason: refusalAs(code).body });
});

const others = Object.keys(REFUSALS).filter((code) => !Object.hasOwn(FINAL_REFUSALS, code));
test.each(others)('%s, which a later try may not meet, keeps it', async (code) => {
  expect(await answered(refusalAs(code))).toEqual([1, 'recorded']);
});

/** Answers of hosts that are no collector, and of proxies before one. */
const strangers: readonly Delivery[] = [
  ...[200, 201, 202, 203, 205, 206, 226, 301, 304].map((status) => ({ status })),
  ...[200, 400, 401, 402, 404, 405, 406, 409, 410, 411, 413, 415, 421, 422, 451, 499].map((status) => ({ status, body: HTML })),
  ...[400, 405, 409, 410, 413].flatMap((status) => [{ status }, { status, body: '' }, { status, body: 'malformed' }]),
  ...['{}', '[]', 'null', '5', '"malformed"', '{"error":null}', '{"error":{}}', '{"error":"Bad Request"}', '{"error":"toString"}'].map(
    (body) => ({ status: 400, body }),
  ),
  { status: 400, body: '{"error":{"toString":1}}' },
  { status: 400, body: '{"message":"malformed","code":"malformed"}' },
  { status: 200, body: '{"error":"malformed"}' },
  { status: 400, body: '{"error":"conflict"}' },
  { status: 403, body: '{"error":"retired","stop":true}' },
  { status: 204.5 },
  { status: Number.NaN },
];

test.each(strangers)('%j of a host that is no collector keeps it, and retires nothing', async (delivery) => {
  expect(await answered(delivery)).toEqual([1, 'recorded']);
});

describe('a batch that a stranger answered', () => {
  test('is sent again, the same bytes, and counts once the collector is there', async () => {
    let delivery: Delivery = { status: 200, body: HTML };
    const { telemetry, uploads, outcomes, live } = device(schema, { answer: () => delivery });
    telemetry.record('dark', true);
    await live(DAY);
    expect(uploads.length).toBeGreaterThan(3);
    expect(results(outcomes)).toEqual(['recorded']);
    delivery = { status: 204 };
    await live(DAY);
    expect(results(outcomes)).toEqual(['recorded', 'delivered']);
    expect(new Set(uploads.map(({ body }) => body)).size).toBe(1);
  });

  test('waits as long as Retry-After says', async () => {
    const { telemetry, uploads, live } = device(schema, { answer: () => ({ status: 405, body: HTML, retryAfter: 3_600 }) });
    telemetry.record('dark', true);
    await live(3_600_000);
    expect(uploads).toHaveLength(1);
  });

  test('expires after 14 days, and that is said', async () => {
    const { telemetry, outcomes, setDay, hide, live } = device(schema, { answer: () => ({ status: 405, body: HTML }) });
    telemetry.record('dark', true);
    await live(DAY);
    setDay(16);
    hide();
    await live(1_000);
    expect(results(outcomes)).toEqual(['recorded', 'expired']);
  });
});
