/** The ids of a store: known for as long as their days are kept, over folds, restarts and growth, and compared in full. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { roomWords } from '#collector/cli/serve-options.ts';
import { HEAD, ID } from '#collector/storage/group-commit.ts';
import { IdSet, Ids, idsInMemory } from '#collector/storage/sqlite/ids.ts';

const DAY = 20_000;

/** So many batches without reports, each with words of its own for an id. */
function batches(count: number, seed = 0): Int32Array {
  const words = new Int32Array(count * HEAD);
  for (let i = 0; i < count; i++) {
    for (let word = 0; word < 6; word++) words[i * HEAD + ID + word] = Math.imul(i + 1, 0x9e3779b1) ^ Math.imul(word + seed, 0x85ebca6b);
  }
  return words;
}

/** Forgets the ids of days before this one, slice by slice, and gives the number of slices. */
function forget(ids: Ids, day: number): number {
  ids.expire(day);
  let slices = 1;
  while (!ids.deleteSome()) slices++;
  return slices;
}

let folder: string;
let database: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-ids-'));
  database = new DatabaseSync(join(folder, 'ids.sqlite'));
  database.exec(`
    CREATE TABLE ids (first INTEGER PRIMARY KEY, day INTEGER NOT NULL, words BLOB NOT NULL);
    CREATE TABLE day_ids (day INTEGER PRIMARY KEY, ids INTEGER NOT NULL);
  `);
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

test('every id is known after it is added, whether it is written yet or not, and after a restart; others are not', () => {
  const [count, half] = [5_000, 2_500];
  const words = batches(count);
  const ids = new Ids(database, 0);
  const all = (known: Ids): Set<string> => new Set(Array.from({ length: count }, (_, i) => known.known(words, i * HEAD, DAY)));
  expect(all(ids)).toEqual(new Set(['new']));
  for (let i = 0; i < count; i++) {
    ids.add(words, i * HEAD, DAY);
    if (i % 700 !== 0 || i > half) continue;
    ids.write();
    ids.written();
  }
  expect(all(ids)).toEqual(new Set(['same']));
  expect(ids.known(batches(1, 77), 0, DAY)).toBe('new');
  expect(ids.known(words, 0, DAY + 1)).toBe('new'); // the id of another day is another batch's
  ids.write();
  ids.written();
  const again = new Ids(database, 0);
  expect(all(again)).toEqual(new Set(['same']));
  const other = words.slice(0, HEAD);
  other[HEAD - 1] = 1 + (other[HEAD - 1] as number);
  expect(again.known(other, 0, DAY)).toBe('other');
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
  forget(ids, DAY + 1);
  for (const known of [ids, new Ids(database, 0)]) {
    const found = Array.from({ length: 300 }, (_, i) => known.known(words, i * HEAD, DAY + Math.floor(i / 100)));
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
    forget(ids, DAY + 4 + days);
    for (let i = 10; i < 20; i++) ids.add(words, i * HEAD, DAY + 4 + days);
    for (const known of [ids, new Ids(database, DAY + 4 + days)])
      expect(Array.from({ length: 10 }, (_, i) => known.known(words, i * HEAD, DAY + (i % 5)))).toEqual(
        Array.from({ length: 10 }, () => 'new'),
      );
    expect(Array.from({ length: 10 }, (_, i) => ids.known(words, (10 + i) * HEAD, DAY + 4 + days))).toEqual(
      Array.from({ length: 10 }, () => 'same'),
    );
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
  forget(ids, DAY + 1);
  expect(rows()).toEqual([second, third]);
  const again = new Ids(database, DAY + 1);
  expect([1_100, 1_300].map((i) => again.known(words, i * HEAD, DAY + (i < 1_200 ? 0 : 1)))).toEqual(['new', 'same']);
});

test('a set asks about each number whose hash fits, and believes the answer, whether it has expected so many or not', () => {
  const words = batches(1_000);
  for (const set of [new IdSet(), new IdSet(1_000), new IdSet(1_000_000)]) {
    expect(set.find(words, ID, () => true)).toBe(-1);
    for (let i = 0; i < 1_000; i++) set.add(words, i * HEAD + ID, i + 1);
    expect(set.count).toBe(1_000);
    for (let i = 0; i < 1_000; i++) expect(set.find(words, i * HEAD + ID, (number) => number === i + 1)).toBe(i + 1);
    expect(set.find(words, ID, () => false)).toBe(-1);
  }
});

test('numbers are counted modulo 2^32, and zero is one like every other', () => {
  const set = new IdSet();
  const words = batches(3);
  for (let i = 0; i < 3; i++) set.add(words, i * HEAD + ID, 2 ** 32 - 1 + i);
  expect(Array.from({ length: 3 }, (_, i) => set.find(words, i * HEAD + ID, () => true))).toEqual([2 ** 32 - 1, 0, 1]);
});

test('ids are unknown from the moment at which their days pass, and go in slices of which none deletes more than half a megabyte and a row', () => {
  const count = 100_000;
  const words = batches(count);
  const ids = new Ids(database, 0);
  for (let i = 0; i < count; i++) ids.add(words, i * HEAD, DAY + (i < count / 2 ? 0 : 1));
  ids.write();
  ids.written();
  const rows = (): number => Number(database.prepare('SELECT count(*) AS n FROM ids').get()?.['n']);
  expect([ids.known(words, 0, DAY), ids.count, rows()]).toEqual(['same', count, 100]);
  ids.expire(DAY + 1);
  expect([ids.known(words, 0, DAY), ids.known(words, (count - 1) * HEAD, DAY + 1), rows()]).toEqual(['new', 'same', 100]);
  ids.add(words, 0, DAY + 1); // the same id, of another day, while its former batch is still being forgotten
  for (let before = rows(), isDone = false; !isDone; before = rows()) {
    isDone = ids.deleteSome();
    expect(28_000 * (before - rows())).toBeLessThanOrEqual(2 ** 19 + 28_000);
    const found = [ids.known(words, 0, DAY + 1), ids.known(words, HEAD, DAY), ids.known(words, (count - 1) * HEAD, DAY + 1)];
    expect(found).toEqual(['same', 'new', 'same']);
  }
  expect([ids.count, rows()]).toEqual([count / 2 + 1, 50]);
});

test('a machine has room for as many ids as half of its memory holds, of 22 bytes each, and for a million at least', () => {
  expect([2 ** 31, 2 ** 33, 1e6, 2 ** 42].map(idsInMemory)).toEqual([48_806_446, 195_225_786, 2 ** 20, 2 ** 30]);
  expect(roomWords({ mostIds: 44_739_242, idsADay: 4_000_000 })).toBe(
    'room for 44,739,242 ids of batches, which are kept for 17 days: at most 2,631,720 batches a day. The busiest day has 4,000,000; at this rate, there is room for about 11 days',
  );
});

test('a start reads the newest ids first; a day can be looked up when all of its ids are read, and new ones are taken meanwhile', () => {
  const words = batches(10_000);
  const ids = new Ids(database, 0);
  // Each row has ids of its day, of the next by clocks that are ahead, and some that were late.
  const dayOf = (i: number): number => DAY + Math.floor(i / 1_000) + (i % 7 === 0 ? -2 : i % 11 === 0 ? 1 : 0);
  const all = Array.from({ length: 10_000 }, (_, i) => i);
  const some = all.filter((i) => i % 59 === 0);
  for (const i of all) {
    ids.add(words, i * HEAD, dayOf(i));
    if (i % 1_000 !== 999) continue;
    ids.write();
    ids.written();
  }
  const again = new Ids(database, DAY - 1, 2_500);
  const open = all.filter((i) => dayOf(i) >= DAY - 1);
  expect(again.count).toBe(open.length);
  // Three of ten rows are read. The last two days are there: all of their ids are in those rows.
  expect(again.unread).toEqual(Array.from({ length: 9 }, (_, d) => DAY - 1 + d));
  const [more, late] = [batches(1, 5), batches(1, 6)];
  expect([again.known(more, 0, DAY + 9), again.known(late, 0, DAY + 7)]).toEqual(['new', 'unread']);
  again.add(more, 0, DAY + 9);
  again.write();
  again.written();
  for (let isDone = false; !isDone; isDone = again.readSome(1)) {
    for (const i of some) {
      const day = dayOf(i);
      const expected = day < DAY - 1 ? 'new' : again.unread.includes(day) ? 'unread' : 'same';
      expect(again.known(words, i * HEAD, day)).toBe(expected);
    }
    expect(again.count).toBe(open.length + 1);
  }
  expect(again.unread).toEqual([]);
  for (const i of some) expect(again.known(words, i * HEAD, dayOf(i))).toBe(dayOf(i) < DAY - 1 ? 'new' : 'same');
  expect([again.known(more, 0, DAY + 9), again.known(late, 0, DAY + 7)]).toEqual(['same', 'new']);
});

test('days that pass while older ids are read are read no more, and the others go on', () => {
  const words = batches(3_000);
  const ids = new Ids(database, 0);
  for (let i = 0; i < 3_000; i++) ids.add(words, i * HEAD, DAY + Math.floor(i / 1_000));
  ids.write();
  ids.written();
  const again = new Ids(database, 0, 1);
  expect(again.unread).toEqual([DAY, DAY + 1]);
  expect(forget(again, DAY + 1)).toBe(1);
  expect([again.unread, again.count]).toEqual([[DAY + 1], 2_000]);
  while (!again.readSome(1));
  expect([0, 1_000, 2_000].map((i) => again.known(words, i * HEAD, DAY + i / 1_000))).toEqual(['new', 'same', 'same']);
  expect(again.count).toBe(2_000);
  expect(database.prepare('SELECT day, ids FROM day_ids').all()).toEqual([
    { day: DAY + 1, ids: 1_000 },
    { day: DAY + 2, ids: 1_000 },
  ]);
});
