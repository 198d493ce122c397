/**
 * Retention: old days are added up to months, and what is older still is deleted. One transaction moves the borders, which is all that
 * readers see; they are kept in the database, for all collectors. The rows follow, a day of a metric in each transaction, under the lock of the
 * shard, by whichever collector comes first.
 */

import { monthStart } from '../../base/days.ts';
import { appOf, ROW_BYTES } from '../quota.ts';
import { type Borders, bordersOf, type RetentionOptions, reachedOf } from '../retention.ts';
import type { PostgresSource } from '../store.ts';
import { BlockSums, Sums, TABLES, writeSums } from './blocks.ts';
import { connected } from './connection.ts';
import type { Database, Query } from './database.ts';
import { lockShard } from './fold.ts';
import { checkStored } from './opening.ts';
import { unpackTallies } from './packed.ts';
import { checkVersion, SCHEMA } from './tables.ts';

async function bordersIn(query: Query, lock: string): Promise<Borders> {
  const [[rolled, kept, version] = []] = await query(`SELECT rolled, kept, version FROM ${SCHEMA}.store ${lock}`);
  checkVersion(version);
  return { rolled: Number(rolled), kept: Number(kept) };
}

/** Moves the borders to where they are on the newest day that has been reached. What lies before them is closed. */
async function move(query: Query, options: RetentionOptions): Promise<void> {
  const days = await query(`SELECT day FROM ${SCHEMA}.room GROUP BY day HAVING sum(rows) > 0 ORDER BY day DESC`);
  const to = bordersOf(reachedOf(days.map(([day]) => Number(day))), options);
  const from = await bordersIn(query, 'FOR UPDATE');
  const [rolled, kept] = [Math.max(from.rolled, to.rolled), Math.max(from.kept, to.kept)];
  if (rolled === from.rolled && kept === from.kept) return;
  const touched = Math.max(rolled, kept);
  await query(`UPDATE ${SCHEMA}.store SET rolled = $1, kept = $2, closed = greatest(closed, $3), epoch = epoch + 1`, [
    rolled,
    kept,
    touched,
  ]);
  await query(`UPDATE ${SCHEMA}.metric SET epoch = (SELECT epoch FROM ${SCHEMA}.store) WHERE first < $1`, [touched]);
  for (const table of ['ones', 'total']) await query(`DELETE FROM ${SCHEMA}.${table} WHERE day < $1`, [kept]);
  await query(
    `UPDATE ${SCHEMA}.metric AS m SET reports = coalesce(t.reports, 0), first = t.first, last = t.last
      FROM ${SCHEMA}.metric AS all_of LEFT JOIN
        (SELECT shard, metric, schema, sum(reports) AS reports, min(day) AS first, max(day) AS last
          FROM ${SCHEMA}.total GROUP BY shard, metric, schema) AS t USING (shard, metric, schema)
      WHERE m.shard = all_of.shard AND m.metric = all_of.metric AND m.schema = all_of.schema AND m.first < $1`,
    [kept],
  );
}

/** A metric of a shard that has rows before the borders. */
type Old = readonly [shard: number, metric: string, schema: string];

const hasBefore = (table: string, border: string): string =>
  `EXISTS (SELECT 1 FROM ${SCHEMA}.${table} AS t
    WHERE t.shard = m.shard AND t.metric = m.metric AND t.schema = m.schema AND t.day < ${border})`;

/** Deletes the earliest day of a metric from a table and gives it to its month, unless it is no longer kept. Returns whether there was one. */
async function followDay(query: Query, [shard, metric, schema]: Old, table: 'tally' | 'monthly'): Promise<boolean> {
  if (!(await lockShard(query, shard))) return false;
  const { rolled, kept } = await bordersIn(query, 'FOR SHARE');
  const rows = await query(
    `DELETE FROM ${SCHEMA}.${table} WHERE shard = $1 AND metric = $2 AND schema = $3 AND day =
        (SELECT min(day) FROM ${SCHEMA}.${table} WHERE shard = $1 AND metric = $2 AND schema = $3 AND day < $4)
      RETURNING day, segment, cells`,
    [shard, metric, schema, table === 'tally' ? Math.max(rolled, kept) : kept],
  );
  const growth = new Sums<readonly [app: string, day: number]>();
  const blocks = new BlockSums();
  for (const [day, segment, cells] of rows) {
    const tallies = unpackTallies(cells as Uint8Array);
    growth.add([appOf(schema), Number(day)], -tallies.cohorts.length, -ROW_BYTES * tallies.cohorts.length - tallies.cells.length);
    if (table === 'tally' && Number(day) >= kept) blocks.add([metric, schema, monthStart(Number(day)), String(segment)], tallies);
  }
  await writeSums(query, TABLES.room, shard, growth);
  await writeSums(query, TABLES.room, shard, await blocks.write(query, 'monthly', shard));
  return rows.length > 0;
}

/** Moves the borders, and brings the rows after them. */
export async function retain(database: Database, options: RetentionOptions): Promise<void> {
  await database.transaction((query) => move(query, options));
  for (const table of ['tally', 'monthly'] as const) {
    const old = await database.transaction(async (query) => {
      const { rolled, kept } = await bordersIn(query, '');
      const border = table === 'tally' ? Math.max(rolled, kept) : kept;
      return query(`SELECT shard, metric, schema FROM ${SCHEMA}.metric AS m WHERE ${hasBefore(table, '$1')}`, [border]);
    });
    for (const [shard, metric, schema] of old) {
      const each: Old = [Number(shard), String(metric), String(schema)];
      while (await database.transaction((query) => followDay(query, each, table)));
    }
  }
}

// Opens days of a store on PostgreSQL again that a wrong clock has closed.

/** The day before which a store has closed all days; 0 when it has closed none. @throws {UnfitDatabase} when there is no store */
export async function closedBeforeIn(source: PostgresSource): Promise<number> {
  await checkStored(source);
  return connected(source, async (query) => Number((await query(`SELECT closed FROM ${SCHEMA}.store`))[0]?.[0]));
}

/** Opens the days from this one on again. Collectors that run take them when they are restarted. */
export async function reopenDaysIn(source: PostgresSource, from: number): Promise<void> {
  await connected(source, (query) => query(`UPDATE ${SCHEMA}.store SET closed = $1 WHERE closed > $1`, [from]));
}
