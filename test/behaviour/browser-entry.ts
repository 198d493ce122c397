/**
 * The behaviours and the suites of the adapters in a page, a worker and a service worker: one script, bundled once,
 * which finds out where it runs. `TRACE` is put in when this is bundled.
 */

import { fetchTransport, type Storage, webStorage } from '@murmuration/client';
import { beaconTransport } from '@murmuration/client/beacon';
import { indexedDbStorage } from '@murmuration/client/indexed-db';
import { type Test, testLifecycle, testStorage, testTransport } from '@murmuration/client/testing';
import { wakeWorker, workerLifecycle } from '@murmuration/client/worker';
import { behaviours } from './behaviours.ts';
import { type Results, run } from './run.ts';

declare const TRACE: string;

const inPage = typeof document !== 'undefined';
const server = {
  address: location.origin,
  received: async () => (await fetch('/received')).json(),
};

/** A page's own storage, emptied; else a database that nothing has used. */
let databases = 0;
const emptyStorage = (): Storage => {
  if (!inPage) return indexedDbStorage(`behaviours ${databases++}`);
  localStorage.clear();
  return webStorage();
};

/** Stores a value from another context of the same origin. */
function inFrame(key: string, value: string): void {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.contentWindow?.localStorage.setItem(key, value);
  frame.remove();
}

const suites: { readonly [name: string]: (test: Test) => void } = {
  behaviours: (test) => behaviours(test, { storage: emptyStorage, hasEntropy: true, trace: TRACE }),
  indexedDb: (test) => testStorage(test, () => indexedDbStorage(), { elsewhere: (key, value) => indexedDbStorage().setItem(key, value) }),
  fetch: (test) => testTransport(test, fetchTransport, server),
  ...(inPage
    ? {
        localStorage: (test) => testStorage(test, webStorage, { elsewhere: inFrame }),
        page: (test) =>
          testLifecycle(
            test,
            (hidden) => wakeWorker({ postMessage: hidden }),
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

/** What a page keeps where it may keep nothing: the suite of a storage in memory. */
const inMemory = (): Promise<Results> => run((test) => testStorage(test, () => webStorage(), { keeps: false }));

/** In a page, results are on the page; a worker and a service worker answer the message `run`. */
if (inPage) Object.assign(globalThis, { runAll, inMemory, beaconTransport });
else {
  addEventListener('message', (event: MessageEvent & { waitUntil?: (promise: Promise<unknown>) => void }) => {
    if (event.data !== 'run') return;
    const answered = runAll().then((results) => (event.source ?? (globalThis as unknown as Worker)).postMessage(results));
    event.waitUntil?.(answered);
  });
}
