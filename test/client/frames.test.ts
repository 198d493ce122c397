/** A page that a page of another origin frames: browsers give it a storage for each such site, so it records nothing unless the app says so. */

import { defineSchema, flag, memoryStorage } from '@murmuration/client';
import { afterEach, expect, test, vi } from 'vitest';
import { device, results, settle } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  metrics: { dark: flag({ epsilon: 1, description: 'a question' }), seen: flag({ epsilon: 1, description: 'another', otherwise: false }) },
});

/** A window of another origin: its address can't be read. */
const foreign = {
  get location(): never {
    throw new DOMException('another origin', 'SecurityError');
  },
};
const own = { location: { href: 'https://notes.example/' } };

afterEach(() => vi.unstubAllGlobals());

async function lived(parent: object | undefined, partitioned?: boolean, top: unknown = foreign) {
  vi.stubGlobal('parent', parent);
  vi.stubGlobal('top', top);
  const browser = modelBrowser();
  const page = device(schema, { storage: browser.open(), consent: 'ask', ...(partitioned !== undefined && { partitioned }) });
  await settle();
  page.telemetry.consent.grant();
  page.telemetry.record('dark', true);
  await page.telemetry.flush();
  await page.live(600_000);
  await page.telemetry.close();
  return { said: results(page.outcomes), sent: page.uploads.length, kept: [browser.stored('murmuration:notes'), browser.spilled().size] };
}

const FRAMES: Record<string, object> = {
  'another origin': foreign,
  'a page of its own that another origin frames': { ...own, parent: foreign },
};

test.each(Object.entries(FRAMES))('in a frame of %s nothing is stored or sent, and an outcome says why', async (_, parent) => {
  expect(await lived(parent)).toEqual({ said: ['third-party', 'third-party'], sent: 0, kept: [undefined, 0] });
});

test.each(Object.entries(FRAMES))('in a frame of %s it records where the app says `partitioned`', async (_, parent) => {
  expect((await lived(parent, true)).said).toEqual(['begun', 'recorded', 'delivered']);
});

test('a page that nothing frames records, whatever its script calls `parent`', async () => {
  for (const parent of [globalThis, { name: 'a variable' }, null])
    expect((await lived(parent as object, undefined, globalThis)).said).toEqual(['begun', 'recorded', 'delivered']);
});

test('a page that a page of its own origin frames, and a worker record', async () => {
  for (const parent of [own, { ...own, parent: own }])
    expect((await lived(parent, undefined, own)).said).toEqual(['begun', 'recorded', 'delivered']);
  expect((await lived(undefined, undefined, undefined)).said).toEqual(['begun', 'recorded', 'delivered']);
});

test('a storage of the app changes nothing of that', async () => {
  vi.stubGlobal('parent', foreign);
  const { telemetry, outcomes } = device(schema, { storage: memoryStorage() });
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(results(outcomes)).toEqual(['third-party', 'third-party']);
});
