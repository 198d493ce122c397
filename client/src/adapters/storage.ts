/** Where a device keeps its ledger and its randomized reports. */

import type { Maybe } from '../maybe.ts';
import { isPage } from './lifecycle.ts';

/** Two methods, and where several contexts share the storage a lock, and news of each other. */
export interface Storage {
  getItem(key: string): Maybe<string | null>;
  setItem(key: string, value: string): Maybe<void>;
  /** Resolves to a release function once this context is the only one that holds the name. */
  lock?(name: string): Promise<() => void>;
  /** Calls back with what another context stored under a key. Returns what stops it. */
  watch?(key: string, changed: (value: string | null) => void): () => void;
}

/** Keeps everything as long as the process or page lives. */
export function memoryStorage(): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
  };
}

/** Holds a Web Lock from when it is granted until released. */
export const webLock = (name: string): Promise<() => void> =>
  new Promise((granted, failed) => {
    navigator.locks.request(name, () => new Promise<void>((release) => granted(release))).catch(failed);
  });

/**
 * `localStorage`, one tab at a time by a Web Lock; memory where reading it throws. It takes nothing where no lock could
 * keep two tabs from spending one budget each (a page over plain http has none), nor where there is no page: a server
 * is no person, and a worker's memory would forget what was spent.
 */
export function webStorage(): Storage {
  const memory = memoryStorage();
  if (isPage()) {
    try {
      const items = localStorage;
      if (!items) return memory;
      if (navigator.locks) {
        return {
          getItem: (key) => items.getItem(key),
          setItem: (key, value) => items.setItem(key, value),
          lock: webLock,
          watch: (key, changed) => {
            const told = (event: StorageEvent): void => {
              if (event.key === key) changed(event.newValue);
            };
            addEventListener('storage', told);
            return () => removeEventListener('storage', told);
          },
        };
      }
    } catch {
      return memory; // the person has forbidden it
    }
  }
  memory.setItem = () => Promise.reject();
  return memory;
}
