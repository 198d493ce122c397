/**
 * A flush: one transaction inserts the ids of a group's batches, appends the sums of those that are new, and commits. Only then is anything
 * acknowledged. When the answer to the commit is lost, the same group is flushed again: ids that the lost transaction has committed are then
 * known, and their batches are duplicates, which are acknowledged like batches that were counted.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Group, Partition } from '../group.ts';
import { appOf } from '../room.ts';
import { type Appended, type Shapes, StoreAway } from '../store.ts';
import { type Delta, UnfoldedReports } from '../unfolded.ts';
import { type Admitted, admit, partNameOf, placeOfBatch, readRows, type Tight, TooTight } from './admission.ts';
import { type Batch, deleteIds, distinct, findIds, insertIds, readBatches, resultOf } from './batch-ids.ts';
import type { Database, Query } from './database.ts';
import { deltaRows, type Ids } from './delta.ts';
import { sqlState, TryAgain } from './errors.ts';
import { flushId } from './flush-id.ts';
import { type Added, type Holdings, placeOf } from './holdings.ts';
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
async function append(
  query: Query,
  group: Group,
  batches: readonly Batch[],
  shapes: Shapes,
  tight: Tight,
  opened: Admitted['opened'],
): Promise<Added> {
  const sums = new UnfoldedReports(shapes);
  sums.add(
    group,
    batches.map(({ start }) => start),
  );
  const ids = idsOf(batches);
  const isTight = ([schema, day]: Partition): boolean => tight.places.has(placeOf(appOf(schema), day));
  const openedBy = ({ partition, metric }: Delta): number | undefined =>
    isTight(partition) ? (opened.get(partNameOf(partition, metric)) ?? 0) : undefined;
  const deltas = sums.deltas();
  const rows = deltaRows(deltas, ids, openedBy);
  const flush = flushId();
  const places = rows.map((_, i) => `($${4 * i + 1}, $${4 * i + 2}, $${4 * i + 3}, $${4 * i + 4})`);
  await query(
    `INSERT INTO ${SCHEMA}.delta (shard, flush, head, sums) VALUES ${places.join()}`,
    rows.flatMap(({ shard, head, sums }) => [shard, flush, head, sums]),
  );
  const openedIn = (app: string, day: number): number =>
    deltas.reduce((sum, delta) => {
      const [schema, at] = delta.partition;
      return sum + (appOf(schema) === app && at === day ? (openedBy(delta) ?? 0) : 0);
    }, 0);
  const rowsOf = (app: string, day: number): number => (tight.places.has(placeOf(app, day)) ? openedIn(app, day) : sums.rowsOf(app, day));
  return { ids, rows: ids.map(([app, day]) => [app, day, rowsOf(app, day)]), isCommitted: false };
}

/** The results for a group, and what its transaction adds. */
interface Flushed {
  readonly results: readonly Appended[];
  readonly added: Added | undefined;
}

/** What a flush does in its transaction. */
async function write(query: Query, group: Group, batches: readonly Batch[], parts: FlushParts, tight: Tight): Promise<Flushed> {
  const firsts = distinct(batches);
  const inserted = await insertIds(query, firsts);
  const fresh = firsts.filter(({ key }) => inserted.has(key)).sort((a, b) => a.number - b.number);
  const others = firsts.filter(({ key }) => !inserted.has(key));
  const found = others.length === 0 ? undefined : await findIds(query, others);
  const inTight = fresh.filter((batch) => tight.places.has(placeOfBatch(batch)));
  const known = inTight.length > 0 ? await readRows(query, group, inTight, parts.shapes) : new Set<string>();
  const { refused, opened } = admit(group, fresh, parts.holdings, parts.shapes, tight, known);
  if (refused.size > 0) await deleteIds(query, [...refused]);
  const counted = fresh.filter((batch) => !refused.has(batch));
  const added = counted.length === 0 ? undefined : await append(query, group, counted, parts.shapes, tight, opened);
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
async function attempt(group: Group, batches: readonly Batch[], parts: FlushParts, tight: Tight): Promise<readonly Appended[]> {
  const { database, partitions, holdings } = parts;
  let takeBack = (): void => undefined;
  await partitions.ensure(group.partitions.map(([, day]) => day));
  try {
    const { results, added } = await database.transaction(async (query) => {
      takeBack();
      const flushed = await write(query, group, batches, parts, tight);
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
  const { holdings } = parts;
  // Where room is little, the rows that are there are read. Only when deltas may have some of them, they are folded first.
  const tight: Tight = { places: new Set(batches.map(placeOfBatch).filter((place) => holdings.isTight(place))), isFolded: false };
  for (let tries = 1; ; ) {
    try {
      return await attempt(group, batches, parts, tight);
    } catch (error) {
      if (error instanceof TooTight) {
        holdings.tighten(error.place);
        if (tight.places.has(error.place)) {
          await parts.settle();
          tight.isFolded = true;
        } else tight.places.add(error.place);
        continue;
      }
      if (tries++ === TRIES) throw error;
      if (sqlState(error) === NO_PARTITION) parts.partitions.forget();
      else if (error instanceof StoreAway) await sleep(PAUSE * (tries - 1));
      else throw error;
    }
  }
}
