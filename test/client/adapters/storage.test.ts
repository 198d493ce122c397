/** Storages without a file system or a browser: memory, and stores of promises, whoever made the promises and whatever they never do. */

import { runInNewContext } from 'node:vm';
import { memoryStorage } from '@murmuration/client';
import { type AsyncStorageLike, asyncStorage } from '@murmuration/client/react-native';
import { testStorage } from '@murmuration/client/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

describe('memory', () => {
  testStorage(test, memoryStorage, { keeps: false });

  test('answers at once', () => {
    expect(memoryStorage().transact('key', () => ({ next: 'value', result: 1 }))).toBe(1);
  });
});

/** A store of promises that answers a turn later, as one across a bridge. */
function slowStore(items: Map<string, string> = new Map<string, string>()): AsyncStorageLike & { readonly items: Map<string, string> } {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    items,
    getItem: async (key) => {
      await turn();
      return items.get(key) ?? null;
    },
    setItem: async (key, value) => {
      await turn();
      items.set(key, value);
    },
  };
}

const count = (stored: string | undefined): { readonly next: string; readonly result: number } => {
  const result = Number(stored ?? 0) + 1;
  return { next: String(result), result };
};

describe('a store of promises', () => {
  const store = slowStore();
  testStorage(test, () => asyncStorage(store), {
    full: () => asyncStorage({ ...store, setItem: () => Promise.reject(new Error('full')) }),
    unused: () => {
      const unused = slowStore();
      return { storage: asyncStorage(unused), exists: () => unused.items.size > 0 };
    },
  });
});

describe('a store that throws, and whose promises are of another realm', () => {
  const items = new Map<string, string>();
  const Foreign = runInNewContext('Promise') as PromiseConstructor;
  const foreign = <T>(value: T): PromiseLike<T> => new Foreign((resolve) => setImmediate(resolve, value));
  const store: AsyncStorageLike = {
    getItem: (key) => foreign(items.get(key)),
    setItem: (key, value) => foreign(items.set(key, value)),
  };
  testStorage(test, () => asyncStorage({ ...store }), {
    full: () =>
      asyncStorage({
        ...store,
        setItem: () => {
          throw new Error('full');
        },
      }),
  });
});

describe('a store that does not answer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  let keys = 0;
  const later = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  };
  const outcome = (step: PromiseLike<number>): { result: number | string } => {
    const seen: { result: number | string } = { result: 'open' };
    step.then(
      (result) => {
        seen.result = result;
      },
      () => {
        seen.result = 'failed';
      },
    );
    return seen;
  };

  test('fails a step after 10 seconds of reading, and neither stops the next one nor writes when it answers after all', async () => {
    const key = `key ${keys++}`;
    const items = new Map<string, string>();
    const reading = later();
    const reads = [reading.promise];
    const storage = asyncStorage({
      getItem: async (name) => {
        await reads.shift();
        return items.get(name);
      },
      setItem: (name, value) => items.set(name, value),
    });
    const first = outcome(storage.transact(key, count) as Promise<number>);
    await vi.advanceTimersByTimeAsync(9_000);
    const second = outcome(storage.transact(key, count) as Promise<number>);
    expect([first.result, second.result]).toEqual(['open', 'open']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([first.result, second.result]).toEqual(['failed', 1]);
    reading.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(items.get(key)?.trim()).toBe('|1');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('keeps a step open that it does not finish to write: what waits behind it fails, and nothing overtakes it', async () => {
    const key = `key ${keys++}`;
    const items = new Map<string, string>();
    const writing = later();
    const writes = [writing.promise];
    const store: AsyncStorageLike = {
      getItem: (name) => items.get(name),
      setItem: async (name, value) => {
        await writes.shift();
        items.set(name, value);
      },
    };
    const first = outcome(asyncStorage(store).transact(key, count) as Promise<number>);
    const second = outcome(asyncStorage({ ...store }).transact(key, count) as Promise<number>);
    await vi.advanceTimersByTimeAsync(10_000);
    const third = outcome(asyncStorage(store).transact(key, count) as Promise<number>);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([first.result, second.result, third.result]).toEqual(['open', 'failed', 'open']);
    writing.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([first.result, third.result, items.get(key)?.trim()]).toEqual([1, 2, '|2']);
  });
});
