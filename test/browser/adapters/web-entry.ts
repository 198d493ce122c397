/** The web storage in a page or a worker of any engine: what a test calls from outside, by name. Bundled once and served. */

import { webStorage } from '@murmuration/client';
import { type StorageTraits, testStorage } from '@murmuration/client/testing';
import { type Results, run } from '../../behaviour/run.ts';

/** The name of the database that all contexts count in. */
const SHARED = 'counting';
let unused = 0;

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
const count = (stored: string | undefined): { readonly next: string; readonly result: number } => {
  const result = Number(stored ?? 0) + 1;
  return { next: String(result), result };
};
const databases = async (): Promise<readonly string[]> => (await indexedDB.databases()).map(({ name, version }) => `${name} ${version}`);

/** Stores a value from another page of the same origin. */
function inFrame(key: string, value: string): void {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.contentWindow?.localStorage.setItem(key, value);
  frame.remove();
}

/** Lets every put succeed and its transaction fail after it, as a full disk does. */
function failWrites<T>(work: () => Promise<T>): Promise<T> {
  const { prototype } = IDBObjectStore;
  const { put } = prototype;
  const { commit } = IDBTransaction.prototype;
  IDBTransaction.prototype.commit = () => {};
  prototype.put = function (...parameters) {
    const request = put.apply(this, parameters);
    request.addEventListener('success', () => this.transaction.abort());
    return request;
  };
  return work().finally(() => {
    prototype.put = put;
    IDBTransaction.prototype.commit = commit;
  });
}

const traits: StorageTraits = {
  unused: () => {
    const name = `unused ${unused++} ${Math.random()}`;
    return { storage: webStorage(name), exists: async () => (await databases()).some((each) => each.startsWith(name)) };
  },
  full: () => {
    const storage = webStorage();
    return { transact: (key, update) => failWrites(() => Promise.resolve(storage.transact(key, update))) };
  },
  ...(typeof document === 'undefined' ? {} : { elsewhere: inFrame }),
};

const own = webStorage(SHARED);

/** What a test may ask of a page or a worker. */
export const commands = {
  suite: (): Promise<Results> => run((test) => testStorage(test, () => webStorage(), traits)),

  /** Counts on, and tells each number. */
  count: async (times: number): Promise<readonly number[]> => {
    const numbers: number[] = [];
    for (let i = 0; i < times; i++) numbers.push(await own.transact('count', count));
    return numbers;
  },

  databases,
  remove: async (): Promise<void> => void (await settled(indexedDB.deleteDatabase(SHARED))),

  /** What another program leaves under our name: a database of some version, with our store and a number in it or without. */
  leave: async (version: number, stored?: number): Promise<void> => {
    const request = indexedDB.open(SHARED, version);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('of another program');
      if (stored !== undefined) request.result.createObjectStore('items').put(String(stored), 'count');
    };
    (await settled(request)).close();
  },

  /** What `count` fails with, or its number. */
  attempt: async (): Promise<string> => {
    try {
      return String(await webStorage(SHARED).transact('count', count));
    } catch (error) {
      return String(error);
    }
  },

  /** Whether there is a spill, and whether it can be watched. */
  spill: (): readonly boolean[] => [!!own.spill, !!own.watch],

  /** Suspends while another transaction keeps the store busy: what becomes of the step, how often it decided, and what is stored in the end. */
  suspendWhileBlocked: async (): Promise<readonly unknown[]> => {
    await own.transact('count', count);
    const other = await settled(indexedDB.open(SHARED));
    const blocking = other.transaction('items', 'readwrite');
    const items = blocking.objectStore('items');
    let isBlocking = true;
    const keepBusy = (): void => {
      if (isBlocking) items.get('count').onsuccess = keepBusy;
    };
    keepBusy();
    const unblocked = new Promise((resolve) => blocking.addEventListener('complete', resolve));
    let decided = 0;
    const step = Promise.resolve(
      own.transact('count', () => {
        decided++;
        return { next: '1000', result: 'written' };
      }),
    ).catch(() => 'failed');
    await new Promise((resolve) => setTimeout(resolve, 100));
    own.suspend?.();
    const ended = await Promise.race([step, new Promise((resolve) => setTimeout(resolve, 60_000, 'still running'))]);
    isBlocking = false;
    await unblocked;
    other.close();
    return [ended, decided, await own.transact('count', (stored) => ({ next: undefined, result: stored }))];
  },

  /** Suspends before the database is open. */
  suspendWhileOpening: async (): Promise<readonly unknown[]> => {
    const fresh = webStorage('opening');
    const step = Promise.resolve(fresh.transact('count', count)).catch(() => 'failed');
    fresh.suspend?.();
    return [await step, (await databases()).filter((name) => name.startsWith('opening')), await fresh.transact('count', count)];
  },

  /** Has the database blocked by a connection that stays: a step gives up in the end, and writes nothing later. */
  blocked: async (): Promise<readonly unknown[]> => {
    const stays = await settled(indexedDB.open('blocked', 1));
    const storage = webStorage('blocked');
    const start = performance.now();
    const step = await Promise.resolve(storage.transact('count', count)).catch(() => 'failed');
    const seconds = Math.round((performance.now() - start) / 1_000);
    stays.close();
    return [step, seconds >= 9, await storage.transact('count', count)];
  },
};

/** In a page the commands are global; a worker answers messages of a name and its parameters. */
if (typeof document !== 'undefined') Object.assign(globalThis, { commands });
else {
  addEventListener('message', ({ data: [name, ...parameters] }: MessageEvent<[keyof typeof commands, ...unknown[]]>) => {
    const command = commands[name] as (...parameters: unknown[]) => unknown;
    Promise.resolve(command(...parameters)).then(postMessage, (error: unknown) => postMessage({ failed: [String(error)] }));
  });
}
