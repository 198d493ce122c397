/** @module A storage for workers and service workers, which have no `localStorage`: IndexedDB. */

import { type Storage, webLock } from './adapters/storage.ts';

const ITEMS = 'items';

/** The result of a request, or its error. */
const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * Keeps everything in a database, one context at a time by a Web Lock; without locks it takes nothing. A write has succeeded once it is on
 * the disk. A page that is left loses what it writes then: a page is better served by the default.
 *
 * @param name the database
 * @example createTelemetry({ schema, endpoint, storage: indexedDbStorage() });
 */
export function indexedDbStorage(name = 'murmuration'): Storage {
  const locks = globalThis.navigator?.locks;
  let opening: Promise<IDBDatabase> | undefined;
  const open = (): Promise<IDBDatabase> => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.result.createObjectStore(ITEMS);
    return answered(request).then((database) => {
      database.onclose = () => {
        opening = undefined;
      };
      // Whoever deletes the database need not wait for us.
      database.onversionchange = () => {
        database.close();
        opening = undefined;
      };
      return database;
    });
  };

  const items = async <T>(mode: IDBTransactionMode, use: (items: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    opening ??= open();
    opening.catch(() => {
      opening = undefined;
    });
    const transaction = (await opening).transaction(ITEMS, mode, { durability: 'strict' });
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    const [result] = await Promise.all([answered(use(transaction.objectStore(ITEMS))), done]);
    return result;
  };

  let channel: BroadcastChannel | undefined;
  /** One for all keys and both directions: a channel does not hear itself. */
  const others = (): BroadcastChannel => {
    channel ??= new BroadcastChannel(name);
    return channel;
  };

  const getItem = async (key: string): Promise<string | null> => (await items('readonly', (store) => store.get(key))) ?? null;
  return {
    getItem,
    setItem: async (key, value) => {
      if (!locks) throw new Error('expected Web Locks, got none');
      await items('readwrite', (store) => store.put(value, key));
      others().postMessage(key); // that it changed: what it is stays in the database
    },
    watch: (key, changed) => {
      const told = ({ data }: MessageEvent): void => {
        if (data === key) void getItem(key).then(changed, () => {});
      };
      others().addEventListener('message', told);
      return () => others().removeEventListener('message', told);
    },
    ...(locks && { lock: webLock }),
  };
}
