/** An app that asks for a string, and devices that answer it. */

import { createTelemetry, defineSchema, memoryStorage, text } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { NOW } from './app.ts';

export const schema = defineSchema({
  app: 'keys',
  version: 1,
  budget: { epsilon: 100, per: 'month' },
  segments: { platform: ['web', 'ios'] },
  metrics: { word: text({ epsilon: 2, every: 'week', description: 'Which word?' }) },
});

/** Half of the devices say the first of these, a third the second, and the others a word on no list. */
export const WORDS = ['anchor', 'basket'] as const;
export const list: readonly string[] = [...WORDS, ...Array.from({ length: 60 }, (_, i) => `nobody says ${i}`)];

const wordOf = (device: number): string => (device % 6 < 3 ? WORDS[0] : device % 6 < 5 ? WORDS[1] : 'unlisted');

/** The body of one device's batch. Devices with the same number randomize alike. */
async function bodyOf(device: number): Promise<string> {
  let sent = '';
  const telemetry = createTelemetry({
    schema,
    endpoint: 'http://test.invalid',
    storage: memoryStorage(),
    segment: { platform: device % 2 === 0 ? 'web' : 'ios' },
    rng: seededRng(device),
    consent: 'granted',
    clock: { now: () => NOW, after: () => () => undefined },
    transport: async ({ body }) => {
      sent = body;
      return { status: 204 };
    },
  });
  telemetry.record('word', wordOf(device));
  await telemetry.flush();
  await telemetry.close();
  return sent;
}

/** The bodies of the first so many devices. */
export const bodiesOf = (devices: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: devices }, (_, device) => bodyOf(device)));
