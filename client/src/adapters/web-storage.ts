/** The storage of pages and workers: IndexedDB, which browsers serialize between tabs and flush to the disk on request. */

import { STEP_PATIENCE } from '../limits.ts';
import { attempt } from '../maybe.ts';
import { isPage, listen } from './lifecycle.ts';
import type { Storage, Updated } from './storage.ts';

const ITEMS = 'items';

/** True if a database exists, or if the engine can't tell. One without a version is the empty file of an aborted upgrade (WebKit). */
const exists = async (name: string): Promise<boolean> =>
  (await indexedDB.databases?.())?.some((each) => each.name === name && each.version) ?? true;

/** The result of a request. */
const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * Keeps everything in IndexedDB, with `localStorage` as the spill. A step is one strict transaction and completes when it is on the disk.
 * It rejects if there is no IndexedDB, as on a server, or if the person has disabled it.
 *
 * @param name the database
 */
export function webStorage(name = 'murmuration'): Storage {
  /** For each pending step, the function that stops it. */
  const live = new Set<() => void>();
  let connection: IDBDatabase | undefined;
  /**
   * The number of steps that wait for a connection of their own. Later steps queue behind them, so that the last write is the last one
   * requested.
   */
  let opening = 0;
  /**
   * The error after which nothing is tried any more: an engine that has lost its storage process gets it back only with the next document.
   */
  let broken: unknown;

  const disconnect = (): void => {
    connection?.close();
    connection = undefined;
  };

  const step = <T>(key: string, update: (stored: string | undefined) => Updated<T>): Promise<T> => {
    let transaction: IDBTransaction | null | undefined;
    let failure: unknown;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop: (error?: unknown) => void;
    return new Promise<T>((resolve, reject) => {
      stop = (error = new Error('gave up')) => {
        failure ??= error;
        try {
          transaction?.abort();
          reject(failure);
        } catch {
          // It is being committed, and will complete or fail without us.
        }
      };

      const decide = (stored: string | undefined, act: (next: string | undefined, result: T) => void): void => {
        try {
          const { next, result } = update(stored);
          act(next, result);
        } catch (error) {
          stop(error);
        }
      };

      const run = (database: IDBDatabase): void => {
        const own = database.transaction(ITEMS, 'readwrite', { durability: 'strict' });
        const items = own.objectStore(ITEMS);
        const read = items.get(key);
        transaction = own;
        read.onsuccess = () =>
          decide(read.result, (next, result) => {
            own.oncomplete = () => resolve(result);
            if (next !== undefined) items.put(next, key);
            own.commit?.();
          });
        own.onabort = () => reject(own.error);
      };

      /** Opens the existing version, or 1 if there is none. A higher version creates the store in a database that lacks it. */
      const open = async (version?: number): Promise<void> => {
        const request = indexedDB.open(name, version);
        request.onupgradeneeded = () => {
          transaction = request.transaction;
          if (failure) stop();
          else
            decide(undefined, (next, result) => {
              if (next !== undefined) request.result.createObjectStore(ITEMS);
              else {
                resolve(result);
                transaction?.abort(); // so that nothing is created
              }
            });
        };
        const database = await settled(request);
        const isWhole = database.objectStoreNames.contains(ITEMS);
        if (failure || connection || !isWhole) database.close();
        else {
          connection = database;
          database.onclose = database.onversionchange = disconnect;
        }
        if (failure) reject(failure);
        else if (connection) run(connection);
        else await open(database.version + 1);
      };

      /** Opens a database only if it exists or there will be something to store: WebKit keeps the empty file of an aborted upgrade. */
      const find = async (): Promise<void> => {
        let isThere = await exists(name);
        if (failure) return;
        if (!isThere)
          decide(undefined, (next, result) => {
            isThere = next !== undefined;
            if (!isThere) resolve(result);
          });
        if (isThere) await open();
      };

      live.add(stop);
      if (connection && !opening) run(connection);
      else {
        opening++;
        find()
          .catch(reject)
          .finally(() => opening--);
      }
      timer = setTimeout(() => {
        stop();
        disconnect();
      }, STEP_PATIENCE);
    }).finally(() => {
      clearTimeout(timer);
      live.delete(stop);
    });
  };

  const spill = attempt(() => isPage() && localStorage); // the person may have forbidden it
  return {
    // An agreement is an empty database. To look for it and to delete it takes one message and no connection, so a refusal is on its way when
    // this returns, waits for no transaction, and no page that is frozen holds it up.
    agreed: async (key, change) => {
      const own = `${name}:${key}`;
      if (change === undefined) return exists(own);
      const database: IDBDatabase | undefined = await settled(change ? indexedDB.open(own) : indexedDB.deleteDatabase(own));
      database?.close();
      return change;
    },
    transact: async (key, update) => {
      for (let isAgain = false; !broken; isAgain = true) {
        try {
          return await step(key, update);
        } catch (error) {
          if (!/^(InvalidState|Unknown)Error$/.test((error as Error).name)) throw error;
          disconnect();
          if (isAgain) broken = error;
        }
      }
      throw broken;
    },
    suspend: () => {
      for (const stop of live) stop();
      disconnect();
    },
    ...(spill && {
      spill,
      watch: (key, changed) => listen<StorageEvent>({ storage: (event) => event.key === key && changed() }),
    }),
  };
}
