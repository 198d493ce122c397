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

/** Folds some of a shard's deltas. Returns whether there may be more. */
async function foldSome(query: Query, last: Query, shard: number): Promise<boolean> {
  if (!(await lockShard(query, shard))) return false;
  const [[[kept, closed, version] = []], deltas] = await Promise.all([
    // Shared with other folds, and not with retention while it moves its borders.
    query(`SELECT kept, closed, version FROM ${SCHEMA}.store FOR SHARE`),
    query(`SELECT flush, head, sums FROM ${SCHEMA}.delta WHERE shard = $1 LIMIT ${MOST}`, [shard]),
  ]);
  checkVersion(version);
  if (deltas.length === 0) return false;
  const blocks = new BlockSums();
  const days = new Sums<readonly [metric: string, schema: string, day: number]>();
  const weights = new Sums<readonly [metric: string, schema: string, day: number, ones: number]>();
  const held = new Sums<readonly [app: string, day: number]>();
  for (const [, head, sums] of deltas) {
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
    writeSums(query, TABLES.total, shard, days),
    writeSums(query, TABLES.ones, shard, weights),
    writeSums(query, TABLES.room, shard, growth),
    writeSums(query, TABLES.ids, shard, held),
  ]);
  await last(`DELETE FROM ${SCHEMA}.delta WHERE shard = $1 AND flush = ANY($2::uuid[])`, [shard, deltas.map(([flush]) => flush)]);
  return deltas.length === MOST;
}

/**
 * Folds what is there. Returns the number of shards that had deltas.
 *
 * @throws the first error of a shard, after the others are folded
 */
export async function fold(database: Database): Promise<number> {
  const shards = await database.transaction((query) => query(`SELECT DISTINCT shard FROM ${SCHEMA}.delta`));
  const errors: unknown[] = [];
  for (const [shard] of shards) {
    try {
      for (let turn = 0; turn < TURNS; turn++)
        if (!(await database.transaction((query, last) => foldSome(query, last, Number(shard))))) break;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return shards.length;
}
