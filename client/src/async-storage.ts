/** Storage in an asynchronous key-value store such as React Native's AsyncStorage. Steps run one after the other. */

import type { Storage, Updated } from './adapters/storage.ts';
import type { Maybe } from './maybe.ts';

/** The part of AsyncStorage that is used here. */
export interface AsyncStorageLike {
  getItem(key: string): Maybe<string | null | undefined>;
  setItem(key: string, value: string): Maybe<unknown>;
}

/** Milliseconds after which a step that has not begun to write is given up. */
const PATIENCE = 10_000;

/**
 * Characters that every value has, padded if it is shorter. On iOS, AsyncStorage keeps values of at most 1,024 characters in one file, and
 * others in a file of their own. When a value becomes short it deletes the second before it writes the first, and an app that is killed
 * in between loses the ledger.
 */
const LENGTH = 1_025;
const PADDING = /^ *\|/;

/**
 * For each key, a promise that settles when its last step no longer reads or writes. There is one map for the whole process, because
 * instances and copies of this module may share a store without sharing an object.
 */
const queues = (): Map<string, Promise<unknown>> => {
  const global = globalThis as { [name: symbol]: Map<string, Promise<unknown>> | undefined };
  const name = Symbol.for('murmuration:queues');
  global[name] ??= new Map();
  return global[name];
};

/**
 * Keeps everything in an asynchronous store that only one process uses. A step that waits 10 seconds for its turn or for the store to be
 * read is given up, and nothing is written. If the store does not finish a write, the step stays open and no later step overtakes it,
 * because the late write would undo what came after it.
 *
 * @example createTelemetry({ schema, endpoint, storage: asyncStorage(AsyncStorage), lifecycle: appStateLifecycle(AppState) });
 */
export function asyncStorage(store: AsyncStorageLike): Storage {
  return {
    transact: <T>(key: string, update: (stored: string | undefined) => Updated<T>): Promise<T> => {
      const all = queues();
      const turn = all.get(key) ?? Promise.resolve();
      const answer = new Promise<T>((resolve, reject) => {
        let isLate = false;
        const timer = setTimeout(() => {
          isLate = true;
          reject(new Error(`expected the store to answer, got nothing in ${PATIENCE / 1_000} s`));
        }, PATIENCE);
        const step = async (): Promise<void> => {
          const stored = isLate ? undefined : await store.getItem(key);
          if (isLate) return;
          clearTimeout(timer);
          const { next, result } = update(stored?.replace(PADDING, ''));
          if (next !== undefined) await store.setItem(key, `|${next}`.padStart(LENGTH));
          resolve(result);
        };
        turn
          .then(step)
          .catch(reject)
          .finally(() => clearTimeout(timer));
      });
      const tail = turn.then(() => answer).catch(() => {});
      all.set(key, tail);
      return answer;
    },
  };
}
