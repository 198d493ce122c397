/** What a device says and keeps over several visits to one storage. */

import { defineSchema, flag, memoryStorage } from '@murmuration/client';
import { expect, test } from 'vitest';
import { device, settle } from './device.ts';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 40, per: 'month' },
  metrics: { dark: flag({ epsilon: 1, description: 'a question' }) },
});
const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);

test('a device whose storage was ruined answers again when the window has ended, though no visit lasts that long', async () => {
  const storage = memoryStorage();
  await storage.transact('murmuration:notes', () => ({ next: '{"v":1', result: undefined }));
  const said: string[][] = [];
  for (const day of [0, 10, 20, 30]) {
    const { telemetry, setDay, outcomes } = device(schema, { storage, consent: 'ask', seed: day + 1 });
    setDay(day);
    telemetry.consent.grant();
    telemetry.record('dark', true);
    await settle();
    said.push(results(outcomes));
  }
  expect(said).toEqual([['storage-reset', 'already-answered'], ['already-answered'], ['already-answered'], ['recorded']]);
});

test('what has expired is said once, and erased', async () => {
  const { telemetry, storage } = device(schema);
  telemetry.record('dark', true);
  await settle();
  const said: string[] = [];
  for (const seed of [2, 3]) {
    const { outcomes, setDay, hide } = device(schema, { storage, seed });
    setDay(20);
    hide();
    await settle();
    said.push(...results(outcomes));
  }
  expect(said.filter((result) => result === 'expired')).toEqual(['expired']);
});
