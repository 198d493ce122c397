/** How a spill is forwarded: by one loop at a time, past groups that can't be, and without losing count of what is left. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoreAway, StoreFull } from '#collector/base/fault.ts';
import { batchesOf, type Group, GroupBuilder } from '#collector/storage/group-commit.ts';
import { openPostgresStore, type PostgresStore } from '#collector/storage/postgres/postgres.ts';
import { SpillLog } from '#collector/storage/postgres/spill/spill-log.ts';
import { withSpill } from '#collector/storage/postgres/spill/spilling.ts';
import type { Appended, Store } from '#collector/storage/store.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { DAY, entry, OTHER_APP, shapes, sum } from '../entries.ts';

const MOST = 1_000_000;

let folder: string;
let url: string;
let told: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-spilling-'));
  url = await createDatabase();
  told = [];
});
afterEach(async () => {
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
});

/** A group of batches with these ids. */
function groupOf(...names: readonly string[]): Group {
  const builder = new GroupBuilder();
  for (const name of names) builder.add(entry(name));
  return builder.take();
}

/** A store that takes nothing itself, and forwards as the test says. */
async function open(log: SpillLog, forward: (group: Group, real: PostgresStore) => Promise<readonly Appended[]>): Promise<Store> {
  const real = await openPostgresStore({ postgres: url }, log.publish(shapes), { isLossAllowed: true });
  const away: PostgresStore = {
    ...real,
    append: () => Promise.reject(new StoreAway('away')),
    isAway: () => false,
    forward: (group) => forward(group, real),
  };
  return withSpill(away, log, (trouble) => told.push(trouble));
}

test('a batch that is spilled while others are forwarded waits for its turn, and no group is forwarded twice', async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let [calls, running, most] = [0, 0, 0];
  const store = await open(new SpillLog(folder, MOST), async (group, real) => {
    calls++;
    most = Math.max(most, ++running);
    await gate;
    running--;
    return real.forward(group);
  });
  await store.append(entry('a'));
  await expect.poll(() => calls).toBe(1);
  await store.append(entry('b'));
  await sleep(600); // a second loop would begin after a quarter of a second
  release();
  await expect.poll(() => store.spilled?.()).toBe(0);
  expect([calls, most]).toEqual([2, 1]);
  await store.close();
});

test('a group that is done twice is subtracted once', () => {
  const log = new SpillLog(folder, MOST);
  log.put(groupOf('a'));
  const [n = 0] = log.after(0);
  log.put(groupOf('b'));
  const half = log.bytes / 2;
  for (const _ of [1, 2]) log.done([{ n, words: new Int32Array(0) }]);
  expect(log.bytes).toBe(half);
  log.close();
});

test('a disk with less than 8 MiB left takes no batches, so that what is forwarded can be deleted from it', async () => {
  let free = 2 ** 23;
  const log = new SpillLog(folder, MOST, () => free);
  log.put(groupOf('a'));
  free--;
  expect(() => log.put(groupOf('b'))).toThrow(new StoreAway('the database does not answer, and the disk of the spill is full'));
  const store = await open(log, (group, real) => real.forward(group));
  await expect.poll(() => store.spilled?.()).toBe(0);
  await store.close();
});

test('what a row takes counts towards the limit, before and after a restart', () => {
  const log = new SpillLog(folder, 400);
  const group = groupOf('a');
  const bytes = group.words.byteLength + JSON.stringify(group.partitions).length + 40;
  log.put(group);
  expect(log.bytes).toBe(bytes);
  for (let n = 2; n * bytes <= 400; n++) log.put(group);
  expect(() => log.put(group)).toThrow('the spill is full');
  const held = log.bytes;
  log.close();
  const again = new SpillLog(folder, 400);
  expect(again.bytes).toBe(held);
  again.close();
});

const countOf = ({ words }: Group): number => batchesOf(words).length;

/** A log with groups of one batch each, written by a process that is gone, after which its file was changed. */
function damaged(count: number, damage: (database: DatabaseSync) => void): SpillLog {
  const log = new SpillLog(folder, MOST);
  log.publish(shapes);
  for (let i = 0; i < count; i++) log.put(groupOf(`${i}`));
  log.close();
  const database = new DatabaseSync(join(folder, 'spill.sqlite'));
  damage(database);
  database.close();
  return new SpillLog(folder, MOST);
}

test.for<readonly [name: string, change: string]>([
  ['words that are cut', 'words = substr(words, 1, length(words) - 4)'],
  ['words that are no words', 'words = substr(words, 1, length(words) - 1)'],
  ['words that are zeros', 'words = zeroblob(length(words))'],
  ['partitions that are no JSON', "partitions = '[['"],
])('%s are told, and all other groups are forwarded', async ([, change]) => {
  const log = damaged(9, (database) => database.exec(`UPDATE spilled SET ${change} WHERE n = 3`));
  const store = await open(log, (group, real) => real.forward(group));
  await expect.poll(() => sum(store).then(({ reports }) => reports)).toBe(8);
  await expect.poll(() => log.after(0)).toEqual([3]);
  expect(told).toEqual([`group 3 of ${folder}/spill.sqlite can't be forwarded: its bytes have changed on the disk`]);
  await store.close();
  expect(told.at(-1)).toMatch(/^\d+ bytes of batches are left in the spill/);
});

test('groups are forwarded together, and one by one when one of them can not be', async () => {
  const log = damaged(9, () => undefined);
  const forwarded: number[] = [];
  const store = await open(log, async (group, real) => {
    forwarded.push(countOf(group));
    const isSick = batchesOf(group.words).some((at) => group.words[at + 2] === batchOf('4'));
    if (isSick) throw new TypeError('this one is sick');
    return real.forward(group);
  });
  await expect.poll(() => log.after(0)).toEqual([5]);
  expect(forwarded.slice(0, 10)).toEqual([9, ...Array(9).fill(1)]);
  expect(told).toEqual([`group 5 of ${folder}/spill.sqlite can't be forwarded: this one is sick`]);
  expect(await sum(store)).toMatchObject({ reports: 8 });
  await store.close();
});

/** The first word of the hash of a batch's id. */
const batchOf = (name: string): number => groupOf(name).words[2] as number;

test.for([StoreAway, StoreFull])('when no group can be forwarded, they are not tried one by one', async (Reason) => {
  const log = damaged(9, () => undefined);
  const forwarded: number[] = [];
  const store = await open(log, (group) => {
    forwarded.push(countOf(group));
    return Promise.reject(new Reason('not now'));
  });
  await expect.poll(() => forwarded.length).toBeGreaterThan(0);
  await store.close();
  expect(new Set(forwarded)).toEqual(new Set([9]));
});

test('of groups that are forwarded together, those without room stay, each with its own partitions', async () => {
  const log = new SpillLog(folder, MOST);
  const builder = new GroupBuilder();
  for (const each of [entry('a', { day: DAY - 1 }), entry('b', { schema: OTHER_APP }), entry('c')]) builder.add(each);
  log.put(groupOf('first'));
  log.put(builder.take());
  log.put(groupOf('last'));
  const seen: string[][] = [];
  const store = await open(log, async (group, real) => {
    seen.push(batchesOf(group.words).map((at) => JSON.stringify(group.partitions[group.words[at] as number])));
    if (seen.length > 1) return real.forward(group);
    return ['counted', 'counted', 'full', 'full', 'counted'];
  });
  await expect.poll(() => store.spilled?.()).toBe(0);
  await store.close();
  const [first, other] = seen;
  expect(first).toHaveLength(5);
  expect(first?.slice(2, 4)).toEqual(other);
  expect(other?.[0]).toContain(OTHER_APP);
  expect(new Set([first?.[0], first?.[3], first?.[4]]).size).toBe(1);
});

test('a store that is closed stops forwarding after a while, and tells what is left', async () => {
  const log = damaged(3, () => undefined);
  let count = 0;
  const real = await openPostgresStore({ postgres: url }, log.publish(shapes), { isLossAllowed: true });
  const forward = (): Promise<never> => Promise.reject(new Error(`${count++}`));
  const store = withSpill({ ...real, forward }, log, (trouble) => told.push(trouble), 0);
  await store.close();
  expect([count, told]).toEqual([0, [expect.stringMatching(/^\d+ bytes of batches are left in the spill/)]]);
});

test('a file that is not a spill is named', () => {
  damaged(3, () => undefined).close();
  const database = new DatabaseSync(join(folder, 'spill.sqlite'));
  database.exec('ALTER TABLE spilled RENAME TO other');
  database.close();
  expect(() => new SpillLog(folder, MOST)).toThrow(
    `${folder}/spill.sqlite: expected a spill, got a file that can't be used: no such table`,
  );
});
