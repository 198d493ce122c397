/** The ids of a store: known for as long as their days are kept, over folds, restarts and growth, and compared in full. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HEAD, ID } from '#collector/store/group.ts';
import { IdSet } from '#collector/store/id-set.ts';
import { Ids } from '#collector/store/sqlite-ids.ts';

const DAY = 20_000;

/** So many batches without reports, each with words of its own for an id. */
function batches(count: number, seed = 0): Int32Array {
  const words = new Int32Array(count * HEAD);
  for (let i = 0; i < count; i++) {
    for (let word = 0; word < 6; word++) words[i * HEAD + ID + word] = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(word + seed, 0x85ebca6b);
  }
  return words;
}

let folder: string;
let database: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-ids-'));
  database = new DatabaseSync(join(folder, 'ids.sqlite'));
  database.exec('CREATE TABLE ids (first INTEGER PRIMARY KEY, day INTEGER NOT NULL, words BLOB NOT NULL)');
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

test('every id is known after it is added, whether it is written yet or not, and after a restart; others are not', () => {
  const [count, half] = [5_000, 2_500];
  const words = batches(count);
  const ids = new Ids(database, 0);
  const all = (known: Ids): Set<string> => new Set(Array.from({ length: count }, (_, i) => known.known(words, i * HEAD)));
  expect(all(ids)).toEqual(new Set(['new']));
  for (let i = 0; i < count; i++) {
    ids.add(words, i * HEAD, DAY);
    if (i % 700 !== 0 || i > half) continue;
    ids.write();
    ids.written();
  }
  expect(all(ids)).toEqual(new Set(['same']));
  expect(ids.known(batches(1, 77), 0)).toBe('new');
  ids.write();
  ids.written();
  const again = new Ids(database, 0);
  expect(all(again)).toEqual(new Set(['same']));
  const other = words.slice(0, HEAD);
  other[HEAD - 1] = 1 + (other[HEAD - 1] as number);
  expect(again.known(other, 0)).toBe('other');
});

test('ids of days that have passed are forgotten, and no others', () => {
  const words = batches(300);
  const ids = new Ids(database, 0);
  for (let i = 0; i < 300; i++) {
    ids.add(words, i * HEAD, DAY + Math.floor(i / 100));
    if (i % 100 !== 99) continue;
    ids.write();
    ids.written();
  }
  ids.expire(DAY + 1);
  ids.expired(DAY + 1);
  for (const known of [ids, new Ids(database, 0)]) {
    const found = Array.from({ length: 300 }, (_, i) => known.known(words, i * HEAD));
    expect(found).toEqual(Array.from({ length: 300 }, (_, i) => (i < 100 ? 'new' : 'same')));
  }
  ids.add(words, 0, DAY + 3); // numbers go on from where they were
  ids.write();
  expect(database.prepare('SELECT max(first) AS first FROM ids').get()).toEqual({ first: 301 });
});

test.each([1, 20, 63, 64, 100, 127, 128, 1_000])(
  'ids are forgotten when nothing came for %i days, and their words are asked for no more',
  (days) => {
    const words = batches(20);
    const ids = new Ids(database, 0);
    for (let i = 0; i < 10; i++) ids.add(words, i * HEAD, DAY + (i % 5));
    ids.write();
    ids.written();
    ids.expire(DAY + 4 + days);
    ids.expired(DAY + 4 + days);
    for (let i = 10; i < 20; i++) ids.add(words, i * HEAD, DAY + 4 + days);
    for (const known of [ids, new Ids(database, DAY + 4 + days)])
      expect(Array.from({ length: 10 }, (_, i) => known.known(words, i * HEAD))).toEqual(Array.from({ length: 10 }, () => 'new'));
    expect(Array.from({ length: 10 }, (_, i) => ids.known(words, (10 + i) * HEAD))).toEqual(Array.from({ length: 10 }, () => 'same'));
  },
);

test('a row has at most a thousand ids, and goes with the last of its days', () => {
  const words = batches(2_500);
  const ids = new Ids(database, 0);
  for (let i = 0; i < 2_500; i++) ids.add(words, i * HEAD, DAY + (i < 1_200 ? 0 : 1));
  ids.write();
  ids.written();
  const rows = (): unknown => database.prepare('SELECT first, day, length(words) / 28 AS ids FROM ids ORDER BY first').all();
  const [first, second, third] = [
    { first: 1, day: DAY, ids: 1_000 },
    { first: 1_001, day: DAY + 1, ids: 1_000 },
    { first: 2_001, day: DAY + 1, ids: 500 },
  ];
  expect(rows()).toEqual([first, second, third]);
  ids.expire(DAY + 1);
  expect(rows()).toEqual([second, third]);
  const again = new Ids(database, DAY + 1);
  expect([1_100, 1_300].map((i) => again.known(words, i * HEAD))).toEqual(['new', 'same']);
});

test('a set asks about each number whose hash fits, and believes the answer', () => {
  const set = new IdSet();
  const words = batches(1_000);
  for (let i = 0; i < 1_000; i++) set.add(words, i * HEAD + ID, i + 1, DAY);
  for (let i = 0; i < 1_000; i++) expect(set.find(words, i * HEAD + ID, (number) => number === i + 1)).toBe(i + 1);
  expect(set.find(words, ID, () => false)).toBe(-1);
  set.expire(DAY + 1);
  expect(set.find(words, ID, () => true)).toBe(-1);
});

test('numbers are counted modulo 2^32, and zero is one like every other', () => {
  const set = new IdSet();
  const words = batches(3);
  for (let i = 0; i < 3; i++) set.add(words, i * HEAD + ID, 2 ** 32 - 1 + i, DAY);
  expect(Array.from({ length: 3 }, (_, i) => set.find(words, i * HEAD + ID, () => true))).toEqual([2 ** 32 - 1, 0, 1]);
});
