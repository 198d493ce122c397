/** A store of promises as storage, such as React Native's AsyncStorage: one step after the other. */

import type { Storage, Updated } from './adapters/storage.ts';
import type { Maybe } from './maybe.ts';

/** What is used of AsyncStorage. */
export interface AsyncStorageLike {
  getItem(key: string): Maybe<string | null | undefined>;
  setItem(key: string, value: string): Maybe<unknown>;
}

/** Milliseconds after which a step that has not begun to write is given up. */
const PATIENCE = 10_000;

/**
 * What settles when the last step of a key no longer reads or writes: one for the whole process, since instances, and copies of this
 * module, may share a store without having an object in common.
 */
const queues = (): Map<string, Promise<unknown>> => {
  const global = globalThis as { [name: symbol]: Map<string, Promise<unknown>> | undefined };
  const name = Symbol.for('murmuration:queues');
  global[name] ??= new Map();
  return global[name];
};

/**
 * Keeps everything in a store of promises that one process uses. A step that waits 10 seconds for its turn, or for the store to be read, is given
 * up, and nothing was written. One that the store does not finish to write stays open, and nothing overtakes it: a write that arrives late
 * would undo what came after it.
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
          const { next, result } = update(stored ?? undefined);
          if (next !== undefined) await store.setItem(key, next);
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
