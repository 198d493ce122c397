/** The ids of a group's batches, and what becomes of each in the transaction of a flush. */

import { batchesOf, type Group, HASH, ID, type Partition } from '../group.ts';
import type { Appended } from '../store.ts';
import type { Query } from './database.ts';
import { SCHEMA, STEPS } from './tables.ts';
import { checkVersion } from './version.ts';

/** A batch of a group. */
export interface Batch {
  /** Its place among the batches of the group. */
  readonly number: number;
  /** The word at which it begins. */
  readonly start: number;
  readonly partition: Partition;
  /** The day and the hash of the id, as the database prints it. */
  readonly key: string;
  readonly id: string;
  /** 64 bits of the body's hash, as a signed number. */
  readonly body: string;
}

const DASHES = [8, 12, 16, 20, 32];

/** 32 hex digits as the database prints them. */
function dashed(hex: string): string {
  let [text, from] = ['', 0];
  for (const to of DASHES) {
    text += from === 0 ? hex.slice(from, to) : `-${hex.slice(from, to)}`;
    from = to;
  }
  return text;
}

/** The batches of a group, in order. */
export function readBatches({ words, partitions }: Group): readonly Batch[] {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  return batchesOf(words).map((start, number) => {
    const partition = partitions[words[start] as number] as Partition;
    const id = dashed(bytes.toString('hex', 4 * (start + ID), 4 * (start + HASH)));
    const body = bytes.readBigInt64BE(4 * (start + HASH)).toString();
    return { number, start, partition, key: `${partition[1]} ${id}`, id, body };
  });
}

/** The first batch of each id of each day, in the order of the key, so that two flushes with the same ids never wait for each other in a circle. */
export function distinct(batches: readonly Batch[]): readonly Batch[] {
  const firsts = new Map<string, Batch>();
  for (const batch of batches) if (!firsts.has(batch.key)) firsts.set(batch.key, batch);
  return [...firsts.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.partition[1] - b.partition[1]));
}

/** A list of numbers or hex digits as the database reads it. (The driver's own way is for any text, and takes ten times as long.) */
const list = (values: readonly (string | number)[]): string => `{${values.join()}}`;

/** The parameters that name batches: shards, days, ids. */
const keysOf = (batches: readonly Batch[]): readonly [string, string, string] => [
  list(batches.map(({ id }) => Number.parseInt(id.slice(0, 2), 16))),
  list(batches.map(({ partition: [, day] }) => day)),
  list(batches.map(({ id }) => id)),
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

/** Inserts the ids of batches that are all different, unless their days are closed. Returns the keys of those that were not known. */
export async function insertIds(query: Query, batches: readonly Batch[]): Promise<ReadonlySet<string>> {
  const rows = await query(INSERT, [...keysOf(batches), list(batches.map(({ body }) => body)), STEPS.length]);
  return new Set(rows.map(([day, id]) => `${day} ${id}`));
}

/** Takes back the ids of batches that this transaction has inserted. */
export const deleteIds = async (query: Query, batches: readonly Batch[]): Promise<unknown> => query(DELETE, keysOf(batches));

/**
 * What becomes of batches whose ids were not inserted: returns the body that each key came with, and the day before which days are closed.
 *
 * @throws {OtherVersion}
 */
export async function findIds(
  query: Query,
  batches: readonly Batch[],
): Promise<{ readonly bodies: ReadonlyMap<string, string>; readonly closed: number }> {
  const [[closed, current] = []] = await query(`SELECT closed, version FROM ${SCHEMA}.store`);
  checkVersion(current);
  await query(WRITE);
  const rows = await query(FIND, keysOf(batches));
  return { bodies: new Map(rows.map(([day, id, body]) => [`${day} ${id}`, String(body)])), closed: Number(closed) };
}

/** What becomes of a batch whose id was not inserted for it. */
export function resultOf(
  { key, body, partition: [, day] }: Batch,
  { bodies, closed }: Awaited<ReturnType<typeof findIds>>,
): Appended | undefined {
  if (day < closed) return 'expired';
  const known = bodies.get(key);
  if (known === undefined) return undefined;
  return known === body ? 'duplicate' : 'conflict';
}
