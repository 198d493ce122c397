/**
 * What keeps a ledger on phones, as far as it runs here: SQLite behind the calls of expo-sqlite, and the files of AsyncStorage on iOS,
 * written in the order of its `RNCAsyncStorage.mm`. As a program it counts, and kills itself before one of the storage's operations.
 */

import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Storage } from '@murmuration/client';
import { type AsyncStorageLike, asyncStorage, type DatabaseLike, sqliteStorage } from '@murmuration/client/react-native';

/** @param before called before each statement */
export function openDatabase(file: string, before: () => void = () => {}): DatabaseLike {
  const database = new DatabaseSync(file);
  return {
    execSync: (source) => {
      before();
      database.exec(source);
    },
    getFirstSync: <T>(source: string, ...params: string[]) => {
      before();
      return (database.prepare(source).get(...params) as T | undefined) ?? null;
    },
    runSync: (source, ...params) => {
      before();
      return database.prepare(source).run(...params);
    },
  };
}

/** Characters of the longest value that the manifest itself holds. */
const INLINE = 1_024;

/**
 * AsyncStorage 2 and the default store of 3 on iOS. `null` in the manifest is a value that has a file of its own, and a name whose file is
 * missing counts as absent.
 *
 * @param before called before each operation that changes a file
 */
function manifestStore(folder: string, before: () => void = () => {}): AsyncStorageLike {
  mkdirSync(folder, { recursive: true });
  const manifestFile = join(folder, 'manifest.json');
  const manifest: { [key: string]: string | null } = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};
  const fileOf = (key: string): string => join(folder, Buffer.from(key).toString('hex'));
  /** `writeToFile:atomically:YES`. */
  const write = (file: string, text: string): void => {
    before();
    writeFileSync(`${file}.new`, text);
    before();
    renameSync(`${file}.new`, file);
  };
  const mark = (key: string, value: string | null): void => {
    manifest[key] = value;
    write(manifestFile, JSON.stringify(manifest));
  };
  return {
    getItem: async (key) => {
      const value = manifest[key];
      return value === null && existsSync(fileOf(key)) ? readFileSync(fileOf(key), 'utf8') : value;
    },
    setItem: async (key, value) => {
      if (value.length > INLINE) {
        write(fileOf(key), value);
        if (manifest[key] !== null) mark(key, null);
        return;
      }
      if (manifest[key] === null) {
        before();
        rmSync(fileOf(key));
      }
      mark(key, value);
    },
  };
}

/** The storages by name, in a folder. */
export const PHONES: { readonly [name: string]: (folder: string, before?: () => void) => Storage } = {
  'expo-sqlite': (folder, before) => sqliteStorage(() => openDatabase(join(folder, 'telemetry.db'), before)),
  AsyncStorage: (folder, before) => asyncStorage(manifestStore(folder, before)),
};

/** The first storage with SQLite's own settings, which a power loss must show. */
const withDefaults = (folder: string): Storage => {
  const database = openDatabase(join(folder, 'telemetry.db'));
  return sqliteStorage(() => ({ ...database, execSync: (source) => source.startsWith('PRAGMA') || database.execSync(source) }));
};

/** Adds one to what is stored. Every other text is long. */
export const increment = (stored: string | undefined): { readonly next: string; readonly result: number } => {
  const result = Number.parseInt(stored ?? '0', 10) + 1;
  return { next: `${result}`.padEnd(result % 2 ? 2 * INLINE : 0), result };
};

if (import.meta.filename === process.argv[1]) {
  const [, , name = '', folder = '', notes = '', operations = 'Infinity', steps = 'Infinity'] = process.argv;
  let left = Number(operations);
  const open = PHONES[name] ?? withDefaults;
  const storage = open(folder, () => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
  });
  const file = openSync(notes, 'a');
  for (let step = 0; step < Number(steps); step++) writeSync(file, `${await storage.transact('count', increment)}`.padEnd(8), 8 * step);
}
