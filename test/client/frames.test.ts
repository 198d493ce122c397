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

interface Frame {
  readonly frameElement: { readonly ownerDocument: { readonly defaultView: object } } | null;
}
/** A window in a frame: of a window of its own origin, or of one of another origin, whose element can't be seen. */
const framedBy = (parent: object | undefined): Frame => ({ frameElement: parent ? { ownerDocument: { defaultView: parent } } : null });
const TOP = framedBy(undefined);
const FOREIGN = { name: 'a window of another origin' };

afterEach(() => vi.unstubAllGlobals());

async function lived(frame: Partial<Frame>, top: object | undefined = FOREIGN, partitioned?: boolean) {
  vi.stubGlobal('frameElement', frame.frameElement);
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

const FRAMES: Record<string, Frame> = {
  'another origin': framedBy(undefined),
  'a page of its own that another origin frames': framedBy(framedBy(undefined)),
};

test.each(Object.entries(FRAMES))('in a frame of %s nothing is stored or sent, and an outcome says why', async (_, frame) => {
  expect(await lived(frame)).toEqual({ said: ['third-party', 'third-party'], sent: 0, kept: [undefined, 0] });
});

test('the same holds where a page of its own origin is at the top, and another origin between', async () => {
  expect((await lived(framedBy(framedBy(undefined)), TOP)).said).toEqual(['third-party', 'third-party']);
});

test('what a script calls `parent` changes nothing, and ends', async () => {
  for (const parent of [{ location: { href: 'https://notes.example/' } }, globalThis, null]) {
    vi.stubGlobal('parent', parent);
    expect((await lived(framedBy(undefined))).said).toEqual(['third-party', 'third-party']);
    expect((await lived(TOP, globalThis)).said).toEqual(['begun', 'recorded', 'delivered']);
  }
});

test('in a frame that is `credentialless`, which gets another storage each time, nothing is recorded', async () => {
  vi.stubGlobal('credentialless', true);
  expect((await lived(framedBy(TOP), TOP)).said).toEqual(['third-party', 'third-party']);
});

test.each(Object.entries(FRAMES))('in a frame of %s it records where the app says `partitioned`', async (_, frame) => {
  expect((await lived(frame, FOREIGN, true)).said).toEqual(['begun', 'recorded', 'delivered']);
});

test('a page that nothing frames, one that a page of its own origin frames, and a worker record', async () => {
  for (const [frame, top] of [
    [TOP, globalThis],
    [framedBy(TOP), TOP],
    [framedBy(framedBy(TOP)), TOP],
    [{}, undefined],
  ] as const)
    expect((await lived(frame, top)).said).toEqual(['begun', 'recorded', 'delivered']);
});

test('a storage of the app changes nothing of that', async () => {
  vi.stubGlobal('frameElement', null);
  vi.stubGlobal('top', FOREIGN);
  const { telemetry, outcomes } = device(schema, { storage: memoryStorage() });
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(results(outcomes)).toEqual(['third-party', 'third-party']);
});
