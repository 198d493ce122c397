/** What every storage must do: the suite that each adapter runs, and that an app runs over its own. */

import type { Storage } from '../adapters/storage.ts';
import type { Maybe } from '../maybe.ts';
import { expectSame, type Test } from './expect.ts';

/** Long enough for whoever should not get a lock to get it. */
const A_WHILE = 50;

/** What is to be expected of a storage. */
export interface StorageTraits {
  /** Whether what is stored outlives the process or page: `true` when left out, `false` for a storage in memory. */
  readonly keeps?: boolean;
  /** Stores a value from another context, where the storage can be watched. */
  readonly elsewhere?: (key: string, value: string) => Maybe<void>;
}

/**
 * Tests a storage. Every test writes keys of its own, which stay: give it a place that nothing else uses.
 *
 * @param open opens the storage; a second call is what another start of the app, or another tab, would open
 * @example testStorage(test, () => fileStorage('/tmp/notes'));
 */
export function testStorage(test: Test, open: () => Maybe<Storage>, { keeps = true, elsewhere }: StorageTraits = {}): void {
  let keys = 0;
  const each = (name: string, run: (storage: Storage, key: string) => Promise<void>): void => {
    const key = `murmuration:storage test ${Date.now()} ${keys++}`;
    test(`a storage ${name}`, async () => run(await open(), key));
  };

  each('answers null for what it does not hold', async (storage, key) => {
    expectSame('getItem', await storage.getItem(key), null);
  });

  each('gives back what was stored, to the letter', async (storage, key) => {
    for (const value of ['', '{"v":1}', ' \n\t"\\\u0000', 'ünïcödé \u{1f426}', 'x'.repeat(200_000)]) {
      await storage.setItem(key, value);
      expectSame('getItem', await storage.getItem(key), value);
    }
  });

  each('holds the last of several values, though nobody waited for the earlier ones', async (storage, key) => {
    const writes = Array.from({ length: 20 }, (_, i) => storage.setItem(key, `value ${i}`));
    await Promise.all(writes);
    expectSame('getItem', await storage.getItem(key), 'value 19');
  });

  each('tells keys apart, whatever they hold', async (storage, key) => {
    const others = ['/', '\\', '..', '%2f', ' ', ':', 'ü', key.toUpperCase()].map((part) => `${key}${part}`);
    for (const other of others) await storage.setItem(other, other);
    expectSame('getItem', await storage.getItem(key), null);
    for (const other of others) expectSame('getItem', await storage.getItem(other), other);
  });

  if (keeps) {
    each('keeps what was stored until it is opened again', async (storage, key) => {
      await storage.setItem(key, 'kept');
      const again = await open();
      expectSame('getItem', await again.getItem(key), 'kept');
      await again.setItem(key, 'changed');
      expectSame('getItem', await storage.getItem(key), 'changed');
    });
  }

  if (elsewhere) {
    each('that can be watched tells what another context stored, not its own, and nobody who has stopped', async (storage, key) => {
      const heard: unknown[] = [];
      const stop = storage.watch?.(key, (value) => void heard.push(value));
      const gone = storage.watch?.(key, () => void heard.push('stopped'));
      gone?.();
      await storage.setItem(key, 'our own');
      await elsewhere(`${key} of another name`, 'unheard');
      await elsewhere(key, 'heard');
      await new Promise((resolve) => setTimeout(resolve, A_WHILE));
      stop?.();
      await elsewhere(key, 'after');
      await new Promise((resolve) => setTimeout(resolve, A_WHILE));
      expectSame('heard', heard, ['heard']);
    });
  }

  each('that has a lock gives it to one at a time, in turn', async (storage, key) => {
    const again = await open();
    const release = await storage.lock?.(key);
    if (!release || !again.lock) return;
    const taken = again.lock(key);
    const first = await Promise.race([taken.then(() => 'both'), new Promise((resolve) => setTimeout(resolve, A_WHILE, 'one'))]);
    expectSame('holders', first, 'one');
    (await again.lock(`${key} of another name`))();
    release();
    (await taken)();
    (await storage.lock?.(key))?.();
  });
}
