/** The assertions for tests of apps: what they find, what they say where it is missing, and what does not compile. */

import { choice, createTelemetry, defineSchema, flag, memoryStorage, type Telemetry } from '@murmuration/client';
import { assertAnswered, assertRecorded, fakeClock, memoryTransport, recording, seededRng } from '@murmuration/client/testing';
import { describe, expect, test } from 'vitest';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: { dark: flag(ask), plan: choice(['free', 'pro'], ask) },
});

function start() {
  const sent = memoryTransport(schema);
  const clock = fakeClock(new Date('2026-11-20'));
  const own = { storage: memoryStorage(), transport: sent.transport, clock, rng: seededRng(1) };
  const telemetry = recording(createTelemetry({ schema, endpoint: '/', consent: 'granted', ...own }));
  return { sent, telemetry };
}

describe('assertRecorded', () => {
  test('finds what waits, and what was sent', async () => {
    const { sent, telemetry } = start();
    telemetry.record('plan', 'pro');
    await assertRecorded(telemetry, 'plan');
    await assertRecorded(sent, 'plan', 0);
    await telemetry.flush();
    await assertRecorded(telemetry, 'plan', 0);
    await assertRecorded(sent, 'plan');
    await expect(assertRecorded(sent, 'dark')).rejects.toThrow('dark: expected 1 reports, got 0; there are plan');
  });

  test('takes the metrics of the schema and no others, in the types and where there are none', async () => {
    const { sent, telemetry } = start();
    const message = 'paln: no such metric; the schema has dark, plan';
    // @ts-expect-error a misspelt metric of a telemetry
    await expect(assertRecorded(telemetry, 'paln', 0)).rejects.toThrow(message);
    const plain: Telemetry<typeof schema.questions> = telemetry;
    // @ts-expect-error a misspelt metric of a telemetry that keeps nothing
    await expect(assertRecorded(plain, 'paln', 0)).rejects.toThrow(message);
    // @ts-expect-error a misspelt metric of a transport
    await expect(assertRecorded(sent, 'paln', 0)).rejects.toThrow(message);
    await expect(assertRecorded(sent, 'toString' as never, 0)).rejects.toThrow('toString: no such metric');
  });
});

describe('assertAnswered', () => {
  test('finds what the app recorded, and passes it on', async () => {
    const { sent, telemetry } = start();
    telemetry.record('plan', 'pro');
    telemetry.record('dark', false);
    assertAnswered(telemetry, 'plan', 'pro');
    assertAnswered(telemetry, 'dark', false);
    expect(() => assertAnswered(telemetry, 'plan', 'free')).toThrow('plan: expected "free", got "pro"');
    await telemetry.flush();
    await assertRecorded(sent, 'dark');
    expect(telemetry.consent.state).toBe('granted');
  });

  test('takes the metrics and answers of the schema and no others', () => {
    const { telemetry } = start();
    // @ts-expect-error a misspelt metric
    expect(() => assertAnswered(telemetry, 'paln', 'pro')).toThrow('paln: expected "pro", got none at all');
    // @ts-expect-error a misspelt answer
    expect(() => assertAnswered(telemetry, 'plan', 'prp')).toThrow('plan: expected "prp", got none at all');
    // @ts-expect-error an answer of another metric
    expect(() => assertAnswered(telemetry, 'dark', 'pro')).toThrow('dark: expected "pro", got none at all');
    const plain: Telemetry<typeof schema.questions> = telemetry;
    // @ts-expect-error a telemetry that keeps nothing in clear
    expect(() => assertAnswered(plain, 'plan', 'pro')).toThrow('plan: expected "pro"');
  });
});
