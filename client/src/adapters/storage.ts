/** Where a device keeps its ledger and its randomized reports: an atomic, durable transaction, and a small synchronous store beside it. */

import type { Maybe } from '../maybe.ts';

/** The result of an update: the text to store (undefined leaves the stored text as it is and creates nothing), and a value to return. */
export interface Updated<T> {
  readonly next: string | undefined;
  readonly result: T;
}

/** The part of `localStorage` that is used here. */
export interface Spill {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The contract of every storage; `testStorage` of `@murmuration/client/testing` tests it. */
export interface Storage {
  /**
   * Reads, decides and writes in one step that no other tab, worker, process or instance can interrupt. It completes only when its result
   * would survive a crash (kill -9, and power loss as far as the platform allows). It fails (throws or rejects) only if nothing was
   * written.
   *
   * @param update synchronous, and may run more than once; the last run counts. If it throws, the step fails and nothing is written. If its
   * `next` is undefined, nothing is written or created: no database, no folder, no lock file.
   */
  transact<T>(key: string, update: (stored: string | undefined) => Updated<T>): Maybe<T>;
  /**
   * A note beside the ledger that the person agrees, for a key. Looks for it or, with `change`, writes or erases it. It never waits for
   * `transact`. To erase it needs no answer: that is under way when this returns, and happens even if the page is then gone. Without it, a
   * refusal waits for its turn at the ledger.
   */
  agreed?(key: string, change?: boolean): Maybe<boolean>;
  /** The page is being left: ends pending steps (each completes or fails) and releases the storage. The next `transact` opens it again. */
  suspend?(): void;
  /** A small synchronous store beside it. It may be stale, lost or absent, and may throw. */
  readonly spill?: Spill | undefined;
  /** Calls back when another context wrote a key of the spill. Returns a function that stops it. */
  watch?(key: string, changed: () => void): () => void;
}

/** Keeps everything in memory as long as the process or page lives: for tests, and for apps that choose it. */
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
