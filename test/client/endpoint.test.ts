/** Where batches go: below the path of the endpoint, in the one spelling that the collector has a route for. */

import { choice, createTelemetry, defineSchema, memoryStorage } from '@murmuration/client';
import { expect, test, vi } from 'vitest';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 1, per: 'month' },
  metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) },
});

/** Where a batch goes. */
async function urlsFor(endpoint: string | undefined): Promise<readonly string[]> {
  const urls: string[] = [];
  const telemetry = createTelemetry({
    schema,
    endpoint: endpoint as string,
    consent: 'granted',
    storage: memoryStorage(),
    transport: async ({ url }) => {
      urls.push(url);
      return { status: 204 };
    },
  });
  telemetry.record('plan', 'free');
  await telemetry.flush();
  await telemetry.close();
  return urls;
}

test.each([
  ['https://t.example.com', 'https://t.example.com/v1/reports'],
  ['https://t.example.com/', 'https://t.example.com/v1/reports'],
  ['https://t.example.com//', 'https://t.example.com/v1/reports'],
  ['https://t.example.com/telemetry', 'https://t.example.com/telemetry/v1/reports'],
  ['https://t.example.com/Telemetry/', 'https://t.example.com/Telemetry/v1/reports'],
  ['/', '/v1/reports'],
  ['/telemetry/', '/telemetry/v1/reports'],
])('an endpoint of %j leads to %s', async (endpoint, expected) => {
  expect(await urlsFor(endpoint)).toEqual([expected]);
});

test('without an endpoint, a production build leaves the page alone, and sends to an address that nobody has', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await urlsFor(undefined)).toEqual(['https://none.invalid/v1/reports']);
  vi.unstubAllEnvs();
});
