/**
 * Folds: adds deltas to the tallies, a shard in each transaction, under the lock of the shard. A shard that another collector works on is
 * left to it. A fold changes nothing that readers see, because they add up tallies and deltas in one snapshot.
 */

import { BlockSums } from './blocks.ts';
import type { Database, Query } from './database.ts';
import { readDelta } from './delta.ts';
import { Sums, TABLES, writeSums } from './sums.ts';
import { SCHEMA } from './tables.ts';
import { checkVersion } from './version.ts';

/** Deltas that one transaction folds, which takes some tens of milliseconds, and transactions of one shard before it is the next one's turn. */
const MOST = 50;
const TURNS = 20;

/** Takes a shard for this transaction. Returns whether nobody else has it. */
export async function lockShard(query: Query, shard: number): Promise<boolean> {
  const rows = await query(`SELECT 1 FROM ${SCHEMA}.shard WHERE shard = $1 FOR UPDATE SKIP LOCKED`, [shard]);
  return rows.length > 0;
}

/** Adds to the totals of a shard's metrics. A metric that is new has the epoch of the store. */
async function writeMetrics(
  query: Query,
  shard: number,
  days: Sums<readonly [metric: string, schema: string, day: number]>,
): Promise<void> {
  const metrics = new Map<string, { readonly metric: string; readonly schema: string; reports: number; first: number; last: number }>();
  for (const [metric, schema, day, reports] of days.rows as readonly (readonly [string, string, number, number])[]) {
    const found = metrics.get(`${schema}\n${metric}`) ?? { metric, schema, reports: 0, first: day, last: day };
    metrics.set(`${schema}\n${metric}`, found);
    found.reports += reports;
    found.first = Math.min(found.first, day);
    found.last = Math.max(found.last, day);
  }
  const all = [...metrics.values()];
  if (all.length === 0) return;
  await query(
    `INSERT INTO ${SCHEMA}.metric (shard, metric, schema, reports, first, last, epoch)
      SELECT $1, fresh.*, (SELECT epoch FROM ${SCHEMA}.store)
        FROM unnest($2::text[], $3::text[], $4::bigint[], $5::integer[], $6::integer[]) AS fresh
      ON CONFLICT (shard, metric, schema) DO UPDATE SET reports = metric.reports + excluded.reports,
        first = least(metric.first, excluded.first), last = greatest(metric.last, excluded.last)`,
    [
      shard,
      all.map(({ metric }) => metric),
      all.map(({ schema }) => schema),
      all.map(({ reports }) => reports),
      all.map(({ first }) => first),
      all.map(({ last }) => last),
    ],
  );
}

/**
 * Folds deltas of a shard, from one id to another. Returns whether nobody else has the shard. (A list of ids would do the same. But where
 * nearly all rows are dead, the database takes the table for a small one, and walks through the whole shard to find them.)
 */
async function foldSome(query: Query, last: Query, shard: number, from: string, to: string): Promise<boolean> {
  if (!(await lockShard(query, shard))) return false;
  const [[[kept, closed, version] = []], deltas] = await Promise.all([
    // Shared with other folds, and not with retention while it moves its borders.
    query(`SELECT kept, closed, version FROM ${SCHEMA}.store FOR SHARE`),
    query(`DELETE FROM ${SCHEMA}.delta WHERE shard = $1 AND flush BETWEEN $2 AND $3 RETURNING head, sums`, [shard, from, to]),
  ]);
  checkVersion(version);
  if (deltas.length === 0) return true;
  const blocks = new BlockSums();
  const days = new Sums<readonly [metric: string, schema: string, day: number]>();
  const weights = new Sums<readonly [metric: string, schema: string, day: number, ones: number]>();
  const held = new Sums<readonly [app: string, day: number]>();
  for (const [head, sums] of deltas) {
    const { additions, ids } = readDelta({ head: String(head), sums: sums as Uint8Array });
    for (const [app, day, count] of ids) if (day >= Number(closed)) held.add([app, day], count);
    for (const { partition, metric, reports, tallies, ones } of additions) {
      const [schema, day, segment] = partition;
      if (day < Number(kept)) continue;
      blocks.add([metric, schema, day, segment], tallies);
      days.add([metric, schema, day], reports);
      for (const [number, count] of ones) weights.add([metric, schema, day, number], count);
    }
  }
  const growth = await blocks.write(query, 'tally', shard);
  await Promise.all([
    writeMetrics(query, shard, days),
    writeSums(query, TABLES.ones, shard, weights),
    writeSums(query, TABLES.room, shard, growth),
    writeSums(query, TABLES.ids, shard, held),
    writeSums(last, TABLES.total, shard, days),
  ]);
  return true;
}

/**
 * The ids of the deltas that there are, by shard and in their order. While an old snapshot is open, the dead rows of the table stay, by the
 * million after some hours. An index leads through all of them to each row one by one, which takes ten times as long as reading the table;
 * so the condition is one that no index can answer.
 */
async function listDeltas(query: Query): Promise<ReadonlyMap<number, readonly string[]>> {
  const shards = new Map<number, string[]>();
  for (const [shard, flush] of await query(`SELECT shard, flush FROM ${SCHEMA}.delta WHERE head <> ''`)) {
    const flushes = shards.get(Number(shard)) ?? [];
    shards.set(Number(shard), flushes);
    flushes.push(String(flush));
  }
  for (const flushes of shards.values()) flushes.sort();
  return shards;
}

/** Folds what is there, and knows for how long it could not. */
export class Folding {
  readonly #database: Database;
  /** When deltas were listed last, and since when one delta of each shard has been listed that is not folded yet. */
  #listed: number = performance.now();
  readonly #pending = new Map<number, { readonly flush: string; readonly since: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Milliseconds for which some delta, at least, has not been folded. */
  get age(): number {
    return performance.now() - [...this.#pending.values()].reduce((first, { since }) => Math.min(first, since), this.#listed);
  }

  /**
   * Folds what is there. Returns the number of shards that had deltas.
   *
   * @throws the first error of a shard, after the others are folded
   */
  async fold(): Promise<number> {
    const shards = await this.#database.transaction(listDeltas);
    this.#list(shards);
    const errors: unknown[] = [];
    for (const [shard, flushes] of shards) {
      try {
        await this.#foldShard(shard, flushes.slice(0, TURNS * MOST));
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return shards.size;
  }

  async #foldShard(shard: number, flushes: readonly string[]): Promise<void> {
    for (let at = 0; at < flushes.length; at += MOST) {
      const some = flushes.slice(at, at + MOST);
      const [from = '', to = ''] = [some[0], some.at(-1)];
      if (!(await this.#database.transaction((query, last) => foldSome(query, last, shard, from, to)))) return;
      if (some.includes(this.#pending.get(shard)?.flush ?? '')) this.#pending.delete(shard);
    }
  }

  #list(shards: ReadonlyMap<number, readonly string[]>): void {
    this.#listed = performance.now();
    for (const [shard, { flush }] of this.#pending) if (shards.get(shard)?.includes(flush) !== true) this.#pending.delete(shard);
    for (const [shard, [flush]] of shards)
      if (flush !== undefined && !this.#pending.has(shard)) this.#pending.set(shard, { flush, since: this.#listed });
  }
}
