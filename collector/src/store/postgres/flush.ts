/**
 * A flush: one transaction inserts the ids of a group's batches, appends the sums of those that are new, and commits. Only then is anything
 * acknowledged. When the answer to the commit is lost, the same group is flushed again: ids that the lost transaction has committed are then
 * known, and their batches are duplicates, which are acknowledged like batches that were counted.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Group } from '../group.ts';
import { appOf } from '../room.ts';
import { type Appended, type Shapes, StoreAway } from '../store.ts';
import { UnfoldedReports } from '../unfolded.ts';
import { readRows, TooTight, withoutRoom } from './admission.ts';
import { type Batch, deleteIds, distinct, findIds, insertIds, readBatches, resultOf } from './batch-ids.ts';
import type { Database, Query } from './database.ts';
import { deltaRows, type Ids } from './delta.ts';
import { sqlState, TryAgain } from './errors.ts';
import type { Added, Holdings } from './holdings.ts';
import type { Partitions } from './partitions.ts';
import { SCHEMA } from './tables.ts';

/** What a flush works with. */
export interface FlushParts {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly holdings: Holdings;
  readonly shapes: Shapes;
  /** Adds all deltas to the tallies, and reads the holdings again. */
  readonly settle: () => Promise<void>;
}

/** Tries of a flush whose connection breaks, and milliseconds before the next. Then devices are asked to come again. */
const TRIES = 4;
const PAUSE = 300;

/** SQLSTATE where a row has no partition: another collector has dropped it. */
const NO_PARTITION = '23514';

/** The number of batches of each app's day. */
function idsOf(batches: readonly Batch[]): readonly Ids[] {
  const counts = new Map<string, [app: string, day: number, ids: number]>();
  for (const { partition } of batches) {
    const [app, day] = [appOf(partition[0]), partition[1]];
    const count = counts.get(`${app}\n${day}`) ?? [app, day, 0];
    counts.set(`${app}\n${day}`, count);
    count[2]++;
  }
  return [...counts.values()];
}

/** Appends the sums of batches, and returns what they add. */
async function append(query: Query, group: Group, batches: readonly Batch[], shapes: Shapes): Promise<Added> {
  const sums = new UnfoldedReports(shapes);
  sums.add(
    group,
    batches.map(({ start }) => start),
  );
  const ids = idsOf(batches);
  const rows = deltaRows(sums.deltas(), ids);
  const flush = crypto.randomUUID();
  const places = rows.map((_, i) => `($${4 * i + 1}, $${4 * i + 2}, $${4 * i + 3}, $${4 * i + 4})`);
  await query(
    `INSERT INTO ${SCHEMA}.delta (shard, flush, head, sums) VALUES ${places.join()}`,
    rows.flatMap(({ shard, head, sums }) => [shard, flush, head, sums]),
  );
  return { ids, rows: ids.map(([app, day]) => [app, day, sums.rowsOf(app, day)]), isCommitted: false };
}

/** The results for a group, and what its transaction adds. */
interface Flushed {
  readonly results: readonly Appended[];
  readonly added: Added | undefined;
}

/** What a flush does in its transaction. `isTight` says that the rows that are there must be known. */
async function write(query: Query, group: Group, batches: readonly Batch[], parts: FlushParts, isTight: boolean): Promise<Flushed> {
  const firsts = distinct(batches);
  const inserted = await insertIds(query, firsts);
  const fresh = firsts.filter(({ key }) => inserted.has(key)).sort((a, b) => a.number - b.number);
  const others = firsts.filter(({ key }) => !inserted.has(key));
  const found = others.length === 0 ? undefined : await findIds(query, others);
  const known = isTight ? await readRows(query, group, fresh, parts.shapes) : undefined;
  const refused = new Set(withoutRoom(group, fresh, parts.holdings, parts.shapes, known));
  if (refused.size > 0) await deleteIds(query, [...refused]);
  const counted = fresh.filter((batch) => !refused.has(batch));
  const added = counted.length === 0 ? undefined : await append(query, group, counted, parts.shapes);
  const firstOf = new Map(fresh.map((batch) => [batch.key, batch]));
  const results = batches.map((batch): Appended => {
    const first = firstOf.get(batch.key);
    if (first !== undefined && refused.has(first)) return 'full';
    if (first === batch) return 'counted';
    if (first !== undefined) return first.body === batch.body ? 'duplicate' : 'conflict';
    const result = found && resultOf(batch, found);
    if (result === undefined) throw new TryAgain('an id that was known a moment ago is gone');
    return result;
  });
  return { results, added };
}

/** One try of a flush. */
async function attempt(group: Group, batches: readonly Batch[], parts: FlushParts, isTight: boolean): Promise<readonly Appended[]> {
  const { database, partitions, holdings } = parts;
  let takeBack = (): void => undefined;
  await partitions.ensure(group.partitions.map(([, day]) => day));
  try {
    const { results, added } = await database.transaction(async (query) => {
      takeBack();
      const flushed = await write(query, group, batches, parts, isTight);
      if (flushed.added !== undefined) takeBack = holdings.reserve(flushed.added);
      return flushed;
    });
    if (added !== undefined) added.isCommitted = true;
    return results;
  } catch (error) {
    takeBack();
    throw error;
  }
}

/**
 * Flushes a group. Resolves to the result for each batch once it is committed.
 *
 * @throws {StoreAway} when the database does not answer; each batch may be counted or not then
 * @throws {StoreFull} when the database's disk is full
 */
export async function flush(group: Group, parts: FlushParts): Promise<readonly Appended[]> {
  const batches = readBatches(group);
  let isTight = false;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(group, batches, parts, isTight);
    } catch (error) {
      if (tries === TRIES) throw error;
      if (error instanceof TooTight) {
        await parts.settle();
        isTight = true;
      } else if (sqlState(error) === NO_PARTITION) parts.partitions.forget();
      else if (error instanceof StoreAway) await sleep(PAUSE * tries);
      else throw error;
    }
  }
}
