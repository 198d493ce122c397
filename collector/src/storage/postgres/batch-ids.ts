/** The ids of a group's batches, and what becomes of each in the transaction of a flush. */

import { batchesOf, type Group, HASH, ID, type Partition } from '../group-commit.ts';
import type { Appended } from '../store.ts';
import type { Database, Query } from './database.ts';
import { lineOf } from './errors.ts';
import { bigints, integers, smallints, uuids } from './packed.ts';
import { checkVersion, FILLING, SCHEMA, STEPS } from './tables.ts';

// The partitions of ids, one for each day. A day's partition is created in the background when the first batch of the day before comes, or
// when its own first batch does, unless the day is closed, and is dropped
// with all of its ids after the day was closed. Both look at `closed` under the lock of its row, so that a partition that was dropped can't
// come back: a replay of a day whose ids are gone would be counted.

const nameOf = (day: number | ''): string => `${SCHEMA}.batch_id_${day}`;

/** Knows which partitions exist. Other collectors create and drop them, too. */
export class Partitions {
  readonly #database: Database;
  readonly #known = new Set<number>();
  #closed = 0;
  /** The newest day that was asked for. */
  #newest = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates the partitions of these days that do not exist, except those of closed days. */
  async ensure(days: Iterable<number>): Promise<void> {
    const unknown = [...new Set(days)].filter((day) => !this.#known.has(day) && day >= this.#closed).sort((a, b) => a - b);
    if (unknown.length === 0) return;
    this.#newest = Math.max(this.#newest, unknown.at(-1) ?? 0);
    await this.#create(await this.#find(unknown));
  }

  /** Creates the partition of the day after the newest one, so that at midnight no flush waits until it is there. */
  async ahead(): Promise<void> {
    const next = this.#newest + 1;
    if (this.#newest > 0 && !this.#known.has(next) && next >= this.#closed) await this.#create(await this.#find([next]));
  }

  /** Takes a look at which partitions exist, without a lock that flushes of all collectors would queue for. Returns the days that have none. */
  async #find(days: readonly number[]): Promise<readonly number[]> {
    const found = await this.#database.transaction((query) =>
      query(`SELECT day FROM unnest($1::integer[]) AS day WHERE to_regclass('${nameOf('')}' || day) IS NOT NULL`, [days]),
    );
    const there = new Set(found.map(([day]) => Number(day)));
    for (const day of there) this.#known.add(day);
    return days.filter((day) => !there.has(day));
  }

  async #create(missing: readonly number[]): Promise<void> {
    if (missing.length === 0) return;
    const { open, closed } = await this.#database.transaction(async (query) => {
      const [[closed, version] = []] = await query(`SELECT closed, version FROM ${SCHEMA}.store FOR UPDATE`);
      if (Number(version) !== FILLING) checkVersion(version);
      const open = missing.filter((day) => day >= Number(closed));
      for (const day of open) {
        // By the catalog's rows: `to_regclass` may still say what it said before this transaction waited for the lock.
        const there = await query(`SELECT 1 FROM pg_class WHERE relname = $1 AND relnamespace = '${SCHEMA}'::regnamespace`, [
          `batch_id_${day}`,
        ]);
        if (there.length > 0) continue;
        await query(`CREATE TABLE ${nameOf(day)} (LIKE ${SCHEMA}.batch_id INCLUDING ALL)`);
        // Created in place, it would lock the whole table against flushes for a moment.
        await query(`ALTER TABLE ${SCHEMA}.batch_id ATTACH PARTITION ${nameOf(day)} FOR VALUES IN (${day})`);
      }
      return { open, closed: Number(closed) };
    });
    this.#closed = closed;
    for (const day of open) this.#known.add(day);
  }

  /** Forgets what exists and which days are closed, after another collector has dropped some, or somebody has opened days again. */
  forget(): void {
    this.#known.clear();
    this.#closed = 0;
  }

  /** Closes the days before this one, for all collectors. They never open again. */
  async close(before: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query(`UPDATE ${SCHEMA}.store SET closed = $1 WHERE closed < $1`, [before]);
    });
    await this.dropClosed();
  }

  /**
   * Drops the ids of closed days, each day in a transaction of its own, because a flush waits for the lock. A day that can't be dropped is
   * left for the next time. Resolves to the reason, if there is such a day.
   */
  async dropClosed(): Promise<string | undefined> {
    const days = await this.#database.transaction(async (query) => {
      const rows = await query(
        `SELECT substring(relname FROM '[0-9]+$')::integer AS day FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
          WHERE inhparent = '${SCHEMA}.batch_id'::regclass
            AND substring(relname FROM '[0-9]+$')::integer < (SELECT closed FROM ${SCHEMA}.store)`,
      );
      await query(`DELETE FROM ${SCHEMA}.app_ids WHERE day < (SELECT closed FROM ${SCHEMA}.store)`);
      return rows.map(([day]) => Number(day));
    });
    let reason: string | undefined;
    for (const day of days) {
      try {
        await this.#drop(day);
      } catch (error) {
        reason ??= lineOf(error);
      }
    }
    return reason;
  }

  /** Drops the ids of a day, unless somebody has opened it again. */
  async #drop(day: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      const [[closed] = []] = await query(`SELECT closed FROM ${SCHEMA}.store FOR SHARE`);
      if (day >= Number(closed)) return;
      // Flushes queue behind a drop that waits, so it gives up soon.
      await query(`SET LOCAL lock_timeout = '100ms'`);
      await query(`DROP TABLE IF EXISTS ${nameOf(day)}`);
    });
    this.#known.delete(day);
  }
}

/** A batch of a group. */
export interface Batch {
  /** Its place among the batches of the group. */
  readonly number: number;
  /** The word at which it begins. */
  readonly start: number;
  readonly partition: Partition;
}

/** The batches of a group, and the group's bytes: each batch has 16 of its id's hash and 8 of its body's. */
export interface Batches {
  readonly bytes: Buffer;
  /** In order. */
  readonly all: readonly Batch[];
  /**
   * The first batch of each id of each day, in the order of the key, so that two flushes with the same ids never wait for each other in a
   * circle.
   */
  readonly firsts: readonly Batch[];
  /** For batches that have the id and the day of an earlier one, that one. */
  readonly repeated: ReadonlyMap<Batch, Batch>;
}

const dayOf = ({ partition: [, day] }: Batch): number => day;
const idAt = ({ start }: Batch): number => 4 * (start + ID);
const bodyAt = ({ start }: Batch): number => 4 * (start + HASH);

/** Reads the batches of a group. */
export function readBatches({ words, partitions }: Group): Batches {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const all = batchesOf(words).map(
    (start, number): Batch => ({ number, start, partition: partitions[words[start] as number] as Partition }),
  );
  const compare = (a: Batch, b: Batch): number => bytes.compare(bytes, idAt(b), bodyAt(b), idAt(a), bodyAt(a)) || dayOf(a) - dayOf(b);
  // Most ids differ in their first 48 bits, and numbers compare faster than bytes.
  const prefixes = all.map((batch) => bytes.readUIntBE(idAt(batch), 6));
  const sorted = all.toSorted(
    (a, b) => (prefixes[a.number] as number) - (prefixes[b.number] as number) || compare(a, b) || a.number - b.number,
  );
  const firsts: Batch[] = [];
  const repeated = new Map<Batch, Batch>();
  for (const batch of sorted) {
    const last = firsts.at(-1);
    if (last !== undefined && compare(last, batch) === 0) repeated.set(batch, last);
    else firsts.push(batch);
  }
  return { bytes, all, firsts, repeated };
}

/** The day and the id of a batch as the database prints them. */
function keyOf({ bytes }: Batches, batch: Batch): string {
  const id = bytes.toString('hex', idAt(batch), bodyAt(batch));
  return `${dayOf(batch)} ${id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}

/** 64 bits of the hash of a batch's body, as the database prints them. */
export const bodyOf = ({ bytes }: Batches, batch: Batch): string => bytes.readBigInt64BE(bodyAt(batch)).toString();

/** The parameters that name batches: shards, days, ids. The shard is the first byte of the id. */
const keysOf = ({ bytes }: Batches, batches: readonly Batch[]): readonly [Buffer, Buffer, Buffer] => [
  smallints(batches.length, (i) => bytes[idAt(batches[i] as Batch)] as number),
  integers(batches.length, (i) => dayOf(batches[i] as Batch)),
  uuids(batches.length, bytes, (i) => idAt(batches[i] as Batch)),
];

const INSERT = `
  INSERT INTO ${SCHEMA}.batch_id (shard, day, id, body)
    SELECT batch.* FROM unnest($1::smallint[], $2::integer[], $3::uuid[], $4::bigint[]) AS batch (shard, day, id, body), ${SCHEMA}.store
      WHERE batch.day >= store.closed AND store.version = $5
    ON CONFLICT (shard, day, id) DO NOTHING RETURNING day, id`;

const FIND = `
  SELECT day, id, body FROM ${SCHEMA}.batch_id
    JOIN unnest($1::smallint[], $2::integer[], $3::uuid[]) AS batch (shard, day, id) USING (shard, day, id)`;

/**
 * Writes a message to the write-ahead log, so that a transaction that only finds duplicates writes something, too, and its COMMIT waits for a
 * synchronous standby: after a crash of the primary, a row may be visible that the standby does not have yet. (Locking the rows would do the
 * same, but Citus does not lock rows of several shards.)
 */
const WRITE = `SELECT pg_logical_emit_message(true, 'murmuration', '')`;

const DELETE = `
  DELETE FROM ${SCHEMA}.batch_id USING unnest($1::smallint[], $2::integer[], $3::uuid[]) AS batch (shard, day, id)
    WHERE batch_id.shard = batch.shard AND batch_id.day = batch.day AND batch_id.id = batch.id`;

/** Inserts the ids of a group's first batches, unless their days are closed. Returns those whose ids were not known, in the same order. */
export async function insertIds(query: Query, batches: Batches): Promise<readonly Batch[]> {
  const { bytes, firsts } = batches;
  const bodies = bigints(firsts.length, bytes, (i) => bodyAt(firsts[i] as Batch));
  const rows = await query(INSERT, [...keysOf(batches, firsts), bodies, STEPS.length]);
  if (rows.length === firsts.length) return firsts;
  const inserted = new Set(rows.map(([day, id]) => `${day} ${id}`));
  return firsts.filter((batch) => inserted.has(keyOf(batches, batch)));
}

/** Takes back the ids of batches that this transaction has inserted. */
export const deleteIds = async (query: Query, batches: Batches, some: readonly Batch[]): Promise<unknown> =>
  query(DELETE, keysOf(batches, some));

/**
 * Looks up batches whose ids were not inserted: returns the body that each key came with, and the day before which days are closed.
 *
 * @throws {OtherVersion}
 */
export async function findIds(
  query: Query,
  batches: Batches,
  some: readonly Batch[],
): Promise<{ readonly bodies: ReadonlyMap<string, string>; readonly closed: number }> {
  const [[closed, current] = []] = await query(`SELECT closed, version FROM ${SCHEMA}.store`);
  checkVersion(current);
  await query(WRITE);
  const rows = await query(FIND, keysOf(batches, some));
  return { bodies: new Map(rows.map(([day, id, body]) => [`${day} ${id}`, String(body)])), closed: Number(closed) };
}

/** Result of a batch whose id was not inserted for it. */
export function resultOf(batches: Batches, batch: Batch, { bodies, closed }: Awaited<ReturnType<typeof findIds>>): Appended | undefined {
  if (dayOf(batch) < closed) return 'expired';
  const known = bodies.get(keyOf(batches, batch));
  if (known === undefined) return undefined;
  return known === bodyOf(batches, batch) ? 'duplicate' : 'conflict';
}
