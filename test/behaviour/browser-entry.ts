/**
 * The behaviours and the suites of the adapters in a page, a worker and a service worker: one script, bundled once,
 * which finds out where it runs. `TRACE` is put in when this is bundled.
 */

import { choice, createTelemetry, defineSchema, fetchTransport, type Outcome, type Storage, webStorage } from '@murmuration/client';
import { beaconTransport } from '@murmuration/client/beacon';
import { type Test, testLifecycle, testTransport } from '@murmuration/client/testing';
import { wakeWorker, workerLifecycle } from '@murmuration/client/worker';
import { behaviours } from './behaviours.ts';
import { type Results, run } from './run.ts';

declare const TRACE: string;

const inPage = typeof document !== 'undefined';
const server = {
  address: location.origin,
  received: async () => (await fetch('/received')).json(),
};

/** A database that nothing has used, beside an empty spill. */
let databases = 0;
function emptyStorage(): Storage {
  const mine = ++databases;
  const storage = webStorage(`behaviours ${mine}`);
  if (!inPage) return storage;
  localStorage.clear();
  const spill = {
    get length() {
      return localStorage.length;
    },
    key: (index: number) => localStorage.key(index),
    getItem: (key: string) => localStorage.getItem(key),
    removeItem: (key: string) => localStorage.removeItem(key),
    // A transaction of an earlier test may end only now, and would count as this device's.
    setItem: (key: string, value: string) => (mine === databases ? localStorage.setItem(key, value) : undefined),
  };
  return { ...storage, spill };
}

const suites: { readonly [name: string]: (test: Test) => void } = {
  behaviours: (test) => behaviours(test, { storage: emptyStorage, hasEntropy: true, trace: TRACE }),
  fetch: (test) => testTransport(test, fetchTransport, server),
  ...(inPage
    ? {
        page: (test) =>
          testLifecycle(
            test,
            (tell) => wakeWorker({ postMessage: () => tell('flush') }),
            () => dispatchEvent(new Event('pagehide')),
          ),
        beacon: (test) => testTransport(test, beaconTransport, server),
      }
    : {
        worker: (test) =>
          testLifecycle(test, workerLifecycle, () => dispatchEvent(new MessageEvent('message', { data: 'murmuration:flush' }))),
        sync: (test) =>
          testLifecycle(test, workerLifecycle, async () => {
            const held: Promise<unknown>[] = [];
            const waitUntil = (promise: Promise<unknown>): void => void held.push(promise);
            dispatchEvent(Object.assign(new Event('sync'), { tag: 'murmuration:flush', waitUntil }));
            await Promise.all(held);
          }),
      }),
};

/** Runs all suites, by name. */
async function runAll(): Promise<{ readonly [name: string]: Results }> {
  const results: { [name: string]: Results } = {};
  for (const [name, suite] of Object.entries(suites)) results[name] = await run(suite);
  return results;
}

/** What comes of a record where nothing can be kept: the page's own storage, as an app has it. */
async function recordAnyway(): Promise<readonly (string | undefined)[]> {
  const outcomes: Outcome[] = [];
  const question = choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' });
  const schema = defineSchema({ app: 'blocked', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { plan: question } });
  const telemetry = createTelemetry({ schema, endpoint: location.href, onOutcome: (outcome) => outcomes.push(outcome) });
  telemetry.record('plan', 'free');
  telemetry.consent.grant();
  telemetry.record('plan', 'pro');
  await telemetry.close();
  return outcomes.map(({ metric = '', result }) => `${metric} ${result}`);
}

/** In a page, results are on the page; a worker and a service worker answer the message `run`. */
if (inPage) Object.assign(globalThis, { runAll, recordAnyway, beaconTransport });
else {
  addEventListener('message', (event: MessageEvent & { waitUntil?: (promise: Promise<unknown>) => void }) => {
    if (event.data !== 'run') return;
    const answered = runAll().then((results) => (event.source ?? (globalThis as unknown as Worker)).postMessage(results));
    event.waitUntil?.(answered);
  });
}
