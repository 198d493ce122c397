/** Where a device keeps its ledger and its randomized reports: one atomic and durable step, and a quick note beside it. */

import type { Maybe } from '../maybe.ts';

/** What an update decides: the text to be stored, undefined to leave what is stored (nothing is created then); and what it has to say. */
export interface Updated<T> {
  readonly next: string | undefined;
  readonly result: T;
}

/** What is used of `localStorage`. */
export interface Spill {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** What every storage must do; `testStorage` of `@murmuration/client/testing` tests it. */
export interface Storage {
  /**
   * Reads, decides and writes in one step that no other tab, worker, process or instance can come between. It is done only when it would
   * survive a crash (kill -9, and power loss as far as the platform allows). It fails (throws or rejects) only where nothing was written.
   *
   * @param update synchronous, and may run more than once: the last run counts. One that throws fails the step, and nothing is written.
   *   Where its `next` is undefined nothing is written and nothing is created: no database, no folder, no lock file.
   */
  transact<T>(key: string, update: (stored: string | undefined) => Updated<T>): Maybe<T>;
  /** The page is being left: ends what is under way (each step completes or fails) and lets go. The next `transact` opens again. */
  suspend?(): void;
  /** A small synchronous store beside it. It may be stale, or lost, or absent, and may throw. */
  readonly spill?: Spill | undefined;
  /** Calls back when another context wrote a key of the spill. Returns what stops it. */
  watch?(key: string, changed: () => void): () => void;
}

/** Keeps everything as long as the process or page lives: for tests, and for apps that name it. */
export function memoryStorage(): Storage {
  const items = new Map<string, string>();
  return {
    transact: (key, update) => {
      const { next, result } = update(items.get(key));
      if (next !== undefined) items.set(key, next);
      return result;
    },
  };
}
