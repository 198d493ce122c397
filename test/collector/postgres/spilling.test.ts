/** How a spill is forwarded: by one loop at a time, past groups that can't be, and without losing count of what is left. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Group, GroupBuilder } from '#collector/store/group.ts';
import { openPostgresStore, type PostgresStore } from '#collector/store/postgres/postgres.ts';
import { SpillLog } from '#collector/store/spill/spill-log.ts';
import { withSpill } from '#collector/store/spill/spilling.ts';
import { type Appended, type Store, StoreAway } from '#collector/store/store.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';
import { entry, shapes } from '../store/entries.ts';

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
  await expect.poll(() => calls, { timeout: 20_000 }).toBe(1);
  await store.append(entry('b'));
  await sleep(600); // a second loop would begin after a quarter of a second
  release();
  await expect.poll(() => store.spilled?.(), { timeout: 20_000 }).toBe(0);
  expect([calls, most]).toEqual([2, 1]);
  await store.close();
});

test('a group that is done twice is subtracted once', () => {
  const log = new SpillLog(folder, MOST);
  log.put(groupOf('a'));
  const spilled = log.after(0);
  log.put(groupOf('b'));
  const half = log.bytes / 2;
  if (spilled === undefined) throw new Error('expected a group, got none');
  for (const _ of [1, 2]) log.done(spilled, new Int32Array(0));
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
  await expect.poll(() => store.spilled?.(), { timeout: 20_000 }).toBe(0);
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
