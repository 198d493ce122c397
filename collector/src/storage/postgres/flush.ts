/**
 * A flush: one transaction inserts the ids of a group's batches, appends the sums of those that are new, and commits. Only then is anything
 * acknowledged. When the answer to the commit is lost, the same group is flushed again: ids that the lost transaction has committed are then
 * known, and their batches are duplicates, which are acknowledged like batches that were counted.
 */

import { StoreAway } from '../../base/fault.ts';
import { retry } from '../../base/retry.ts';
import type { Shapes } from '../../schemas/catalog.ts';
import type { Group } from '../group-commit.ts';
import { appOf } from '../quota.ts';
import type { Appended } from '../store.ts';
import {
  type Added,
  type Admitted,
  type AppQuotas,
  admit,
  partNameOf,
  placeOf,
  placeOfPartition,
  readRows,
  type Tight,
  TooTight,
} from './admission.ts';
import type { Partitions } from './batch-ids.ts';
import { type Batch, type Batches, bodyOf, deleteIds, findIds, insertIds, readBatches, resultOf } from './batch-ids.ts';
import type { Database, Query } from './database.ts';
import { isRefusal, lineOf, sqlState, TakesNone, TryAgain } from './errors.ts';
import { appendDeltas, type DeltaRow, deltaRows, type Ids } from './fold.ts';
import { type MetricSums, sumBatches } from './group-sums.ts';

/** Parts of a flush. */
export interface FlushParts {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly quotas: AppQuotas;
  readonly shapes: Shapes;
  /** Adds all deltas to the tallies, and reads the quotas again. */
  readonly settle: () => Promise<void>;
}

/** Tries of a flush whose connection breaks, and milliseconds before the next. Then devices are asked to come again. */
const TRIES = 4;
const PAUSE = 300;

/** SQLSTATE where a row has no partition: another collector has dropped it. */
const NO_PARTITION = '23514';

/** The number of batches of each app's day. */
function idsOf({ partitions, words }: Group, batches: readonly Batch[]): readonly Ids[] {
  const ofPartition = partitions.map(() => 0);
  for (const { start } of batches) ofPartition[words[start] as number] = (ofPartition[words[start] as number] as number) + 1;
  const counts = new Map<string, [app: string, day: number, ids: number]>();
  for (const [i, partition] of partitions.entries()) {
    if (ofPartition[i] === 0) continue;
    const place = placeOfPartition(partition);
    const count = counts.get(place) ?? [appOf(partition[0]), partition[1], 0];
    counts.set(place, count);
    count[2] += ofPartition[i] as number;
  }
  return [...counts.values()];
}

/** Data that a flush appends: the sums of batches, and their additions. */
interface Appending {
  readonly rows: readonly DeltaRow[];
  readonly added: Added;
}

/** Adds up what a flush appends. */
function addUp(group: Group, batches: readonly Batch[], shapes: Shapes, tight: Tight, opened: Admitted['opened']): Appending {
  const all = sumBatches(group, batches, shapes);
  const ids = idsOf(group, batches);
  const openedBy = ({ partition, metric }: MetricSums): number | undefined =>
    tight.places.has(placeOfPartition(partition)) ? (opened.get(partNameOf(partition, metric)) ?? 0) : undefined;
  const rows = new Map<string, number>();
  for (const sums of all) {
    const place = placeOfPartition(sums.partition);
    rows.set(place, (rows.get(place) ?? 0) + (openedBy(sums) ?? sums.rows));
  }
  return {
    rows: deltaRows(all, ids, openedBy),
    added: { ids, rows: ids.map(([app, day]) => [app, day, rows.get(placeOf(app, day)) ?? 0]), isCommitted: false },
  };
}

/** The results for a group, and what its transaction is to append. */
interface Judged {
  readonly results: readonly Appended[];
  readonly appending: Appending | undefined;
}

/** Transaction of a flush, except the append. */
async function judge(query: Query, group: Group, batches: Batches, parts: FlushParts, tight: Tight): Promise<Judged> {
  const { all, firsts, repeated } = batches;
  const inserted = await insertIds(query, batches);
  const isNew = new Set(inserted);
  const found =
    isNew.size === firsts.length
      ? undefined
      : await findIds(
          query,
          batches,
          firsts.filter((batch) => !isNew.has(batch)),
        );
  const fresh = all.filter((batch) => isNew.has(batch));
  const inTight = fresh.filter(({ partition }) => tight.places.has(placeOfPartition(partition)));
  const known = inTight.length > 0 ? await readRows(query, group, inTight, parts.shapes) : new Set<string>();
  const { refused, opened } = admit(group, fresh, parts.quotas, parts.shapes, tight, known);
  if (refused.size > 0) await deleteIds(query, batches, [...refused]);
  const results = all.map((batch): Appended => {
    const first = repeated.get(batch) ?? batch;
    if (refused.has(first)) return 'full';
    if (isNew.has(batch)) return 'counted';
    if (isNew.has(first)) return bodyOf(batches, first) === bodyOf(batches, batch) ? 'duplicate' : 'conflict';
    const result = found && resultOf(batches, batch, found);
    if (result === undefined) throw new TryAgain('an id that was known a moment ago is gone');
    return result;
  });
  const counted = fresh.filter((batch) => !refused.has(batch));
  return { results, appending: counted.length === 0 ? undefined : addUp(group, counted, parts.shapes, tight, opened) };
}

/** One try of a flush. */
async function attempt(group: Group, batches: Batches, parts: FlushParts, tight: Tight): Promise<readonly Appended[]> {
  const { database, partitions, quotas } = parts;
  let takeBack = (): void => undefined;
  await partitions.ensure(group.partitions.map(([, day]) => day));
  try {
    const { results, appending } = await database.transaction(async (query, last) => {
      takeBack();
      const judged = await judge(query, group, batches, parts, tight);
      if (judged.appending !== undefined) {
        takeBack = quotas.reserve(judged.appending.added);
        await appendDeltas(last, judged.appending.rows);
      }
      return judged;
    });
    if (appending !== undefined) appending.added.isCommitted = true;
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
 * @throws {TakesNone} when it answers that it takes none
 * @throws {StoreFull} when the database's disk is full
 */
export async function flush(group: Group, parts: FlushParts): Promise<readonly Appended[]> {
  const batches = readBatches(group);
  const { quotas } = parts;
  // Where room is little, the rows that are there are read. Only when deltas may have some of them, they are folded first.
  const tight: Tight = {
    places: new Set(group.partitions.map(placeOfPartition).filter((place) => quotas.isTight(place))),
    isFolded: false,
  };
  let tries = 0;
  return retry(
    () => attempt(group, batches, parts, tight),
    async (error) => {
      if (error instanceof TooTight) {
        quotas.tighten(error.place);
        if (tight.places.has(error.place)) {
          await parts.settle();
          tight.isFolded = true;
        } else tight.places.add(error.place);
        return 0;
      }
      const isLast = ++tries === TRIES;
      if (!isLast && sqlState(error) === NO_PARTITION) {
        parts.partitions.forget();
        return 0;
      }
      if (!isLast && error instanceof StoreAway) return PAUSE * tries;
      throw isRefusal(error) ? new TakesNone(lineOf(error)) : error;
    },
  );
}
