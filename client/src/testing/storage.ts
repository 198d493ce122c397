/** The conformance suite for storages. Each adapter runs it, and an app can run it on its own storage. */

import type { Storage } from '../adapters/storage.ts';
import type { Maybe } from '../maybe.ts';
import { expectSame, type Test } from './expect.ts';

/** Traits of a storage that the suite relies on. */
export interface StorageTraits {
  /** True if stored data outlives the process or page: `true` by default, `false` for a storage in memory. */
  readonly keeps?: boolean;
  /** Opens a storage in an unused place, and tells whether anything exists there: a database, a folder, a file. */
  readonly unused?: () => Maybe<{ readonly storage: Storage; readonly exists: () => Maybe<boolean> }>;
  /** Opens the same storage in a state in which every write fails, as on a full disk. */
  readonly full?: () => Maybe<Storage>;
  /** Stores a value in the spill from another context, if the spill can be watched. */
  readonly elsewhere?: (key: string, value: string) => Maybe<unknown>;
}

/** The number of instances that count concurrently, and the number that each counts to. */
const INSTANCES = 5;
const TIMES = 12;
/** Milliseconds to wait for something that must not happen. */
const A_WHILE = 50;

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, A_WHILE));
const read = async (storage: Storage, key: string): Promise<string | undefined> =>
  storage.transact(key, (stored) => ({ next: undefined, result: stored }));
const write = async (storage: Storage, key: string, value: string): Promise<unknown> =>
  storage.transact(key, () => ({ next: value, result: undefined }));

/** Increments the stored number and returns the result. */
const count = async (storage: Storage, key: string): Promise<number> =>
  storage.transact(key, (stored) => {
    const result = Number(stored ?? 0) + 1;
    return { next: String(result), result };
  });

/** The error that a step fails with, whether it throws or rejects. */
async function failureOf(what: string, run: () => Maybe<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: expected a failure, got none`);
}

/**
 * Tests a storage. Every test writes its own keys and leaves them there, so pass a place that nothing else uses.
 *
 * @param open opens the storage; a second call opens what another start of the app, or another tab, would open
 * @example testStorage(test, () => fileStorage('/tmp/notes'));
 */
export function testStorage(test: Test, open: () => Maybe<Storage>, { keeps = true, unused, full, elsewhere }: StorageTraits = {}): void {
  let keys = 0;
  const each = (name: string, run: (storage: Storage, key: string) => Promise<void>): void => {
    const key = `murmuration:storage test ${Date.now()} ${keys++}`;
    test(`a storage ${name}`, async () => run(await open(), key));
  };

  each('holds nothing at first, and gives back what was stored, to the letter', async (storage, key) => {
    expectSame('stored', [await read(storage, key)], [undefined]);
    for (const value of ['', '{"v":1}', ' \n\t"\\\u0000', 'ünïcödé \u{1f426}', 'x'.repeat(200_000)]) {
      await write(storage, key, value);
      expectSame('stored', await read(storage, key), value);
    }
  });

  each('passes on what the update has to say', async (storage, key) => {
    const results = [undefined, null, 0, '', 'said', { list: [1, 2] }];
    for (const result of results)
      for (const next of ['stored', undefined])
        if ((await storage.transact<unknown>(key, () => ({ next, result }))) !== result)
          throw new Error('expected the result of the update');
  });

  each('leaves what is stored where an update says so', async (storage, key) => {
    await write(storage, key, 'stored');
    expectSame('seen', await read(storage, key), 'stored');
    expectSame('stored', await read(storage, key), 'stored');
  });

  each('fails with what an update throws, and leaves what is stored', async (storage, key) => {
    const thrown = new Error('thrown by the update');
    const update = (): never => {
      throw thrown;
    };
    if ((await failureOf('an update that throws', () => storage.transact(key, update))) !== thrown)
      throw new Error('expected what it threw');
    await write(storage, key, 'stored');
    await failureOf('an update that throws', () => storage.transact(key, update));
    expectSame('stored', await read(storage, key), 'stored');
  });

  each('holds the last of several values, though nobody waited for the earlier ones', async (storage, key) => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => write(storage, key, `value ${i}`)));
    expectSame('stored', await read(storage, key), 'value 19');
  });

  each('tells keys apart, whatever they hold', async (storage, key) => {
    const others = ['/', '\\', '..', '%2f', ' ', ':', 'ü', '.json', '.lock', key.toUpperCase()].map((part) => `${key}${part}`);
    for (const other of others) await write(storage, other, other);
    expectSame('stored', [await read(storage, key)], [undefined]);
    for (const other of others) expectSame('stored', await read(storage, other), other);
  });

  each('lets each of many steps at once see the one before, whatever instance takes it', async (storage, key) => {
    const instances = [storage, ...(await Promise.all(Array.from({ length: INSTANCES - 1 }, () => (keeps ? open() : storage))))];
    const seen = await Promise.all(instances.flatMap((instance) => Array.from({ length: TIMES }, () => count(instance, key))));
    expectSame(
      'counts',
      seen.sort((a, b) => a - b),
      seen.map((_, i) => i + 1),
    );
    expectSame('stored', await read(storage, key), String(INSTANCES * TIMES));
  });

  if (keeps) {
    each('shows at once what another instance wrote, and keeps it until it is opened again', async (storage, key) => {
      await write(storage, key, 'kept');
      const again = await open();
      expectSame('stored', await read(again, key), 'kept');
      for (const value of ['changed', 'changed again']) {
        await write(again, key, value);
        expectSame('stored', await read(storage, key), value);
      }
    });
  }

  each('that is suspended ends what is under way, and opens again', async (storage, key) => {
    const before = await count(storage, key);
    const steps = Promise.allSettled(Array.from({ length: TIMES }, () => count(storage, key)));
    storage.suspend?.();
    storage.suspend?.();
    const counted = (await steps).filter(({ status }) => status === 'fulfilled').length;
    await settle();
    expectSame('stored', await read(storage, key), String(before + counted));
    expectSame('counted', await count(storage, key), before + counted + 1);
  });

  each('with notes keeps them for each key, and erases them even where it is left at once', async (storage, key) => {
    if (!storage.agreed) return;
    expectSame('noted', await storage.agreed(key), false);
    expectSame(
      'noted',
      [await storage.agreed(key, true), await storage.agreed(key), await storage.agreed(`${key} other`)],
      [true, true, false],
    );
    const erasing = storage.agreed(key, false);
    storage.suspend?.();
    await erasing;
    expectSame('noted', await (await open()).agreed?.(key), false);
  });

  if (full) {
    each('says that a write failed where nothing was written', async (storage, key) => {
      const failing = await full();
      await failureOf('a write', () => write(failing, key, 'lost'));
      expectSame('stored', [await read(storage, key)], [undefined]);
      await write(storage, key, 'stored');
      await failureOf('a write', () => write(failing, key, 'lost'));
      await settle();
      expectSame('stored', [await read(storage, key), await read(failing, key)], ['stored', 'stored']);
    });
  }

  if (unused) {
    test('a storage creates nothing until something is to be stored', async () => {
      const { storage, exists } = await unused();
      expectSame('exists', await exists(), false);
      expectSame('stored', [await read(storage, 'key')], [undefined]);
      const update = (): never => {
        throw new Error('thrown by the update');
      };
      await failureOf('an update that throws', () => storage.transact('key', update));
      await Promise.all([read(storage, 'key'), read(storage, 'other')]);
      expectSame('exists', await exists(), false);
      await write(storage, 'key', 'stored');
      expectSame('exists', await exists(), true);
    });
  }

  if (elsewhere) {
    each('with a spill tells what another context stored there, not its own, and nobody who has stopped', async (storage, key) => {
      const heard: string[] = [];
      const stop = storage.watch?.(key, () => void heard.push('heard'));
      const gone = storage.watch?.(key, () => void heard.push('stopped'));
      gone?.();
      storage.spill?.setItem(key, 'our own');
      await elsewhere(`${key} of another name`, 'unheard');
      await settle();
      expectSame('heard', heard, []);
      await elsewhere(key, 'heard');
      for (let i = 0; i < 100 && heard.length === 0; i++) await settle();
      stop?.();
      await elsewhere(key, 'after');
      await settle();
      expectSame('heard', heard, ['heard']);
      expectSame('spilt', storage.spill?.getItem(key), 'after');
    });
  }
}
