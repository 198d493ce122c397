/**
 * Admission of batches by room: for their new ids (`quota.ts`), and for the rows that their reports open. Where the rows
 * that an app's day may still open are fewer than its batches might, the rows that are there are read first.
 */

import { type Packing, packingOf } from '@murmuration/shared';
import { InternalFault } from '../../base/fault.ts';
import type { Shapes } from '../../schemas/catalog.ts';
import { type Group, HEAD, type Partition } from '../group-commit.ts';
import { appOf, IdQuota, QUOTA_LIMITS, type QuotaLimits } from '../quota.ts';
import type { StoreSizes } from '../store.ts';
import type { Batch } from './batch-ids.ts';
import type { Database, Query } from './database.ts';
import { type Ids, readHead } from './fold.ts';
import { BLOCK, unpackTallies } from './packed.ts';
import { SCHEMA, shardOf } from './tables.ts';

// How much each app holds: ids, rows and bytes. It is read from the database now and then, and what this collector has added since is
// counted on top. So one collector alone holds its limits exactly, and several may exceed them by what the others add in a second.

/** Additions of a flush. */
export interface Added {
  readonly ids: readonly Ids[];
  /** Rows that it opens at most. */
  readonly rows: readonly (readonly [app: string, day: number, rows: number])[];
  isCommitted: boolean;
}

/** Milliseconds between two readings of closed days, and after which a reading of open ones is old even where nothing was added here. */
const CLOSED = 600_000;
const HELD = 10_000;

/** Milliseconds for which flushes expect that an app's day has little room left, after one has found that. */
const TIGHT = 1_000;

type Counts = Map<string, number>;

const add = (counts: Counts, key: string, count: number): void => void counts.set(key, (counts.get(key) ?? 0) + count);

/** Contents of the database, with its deltas. */
interface Held {
  /** By app. */
  readonly ids: Counts;
  readonly bytes: Counts;
  /** By app and day, of days that are open. */
  readonly rows: Counts;
  /** Those of them that deltas open at most: some may be among the others. */
  readonly pending: Counts;
  /** Rows of the tallies, without deltas. */
  tallies: number;
  deltas: number;
}

const nothing = (): Held => ({ ids: new Map(), bytes: new Map(), rows: new Map(), pending: new Map(), tallies: 0, deltas: 0 });
/** The name of an app's day. */
export const placeOf = (app: string, day: number): string => `${app}\n${day}`;

/** Contents of closed days. There are many of them, and they hardly change. */
async function readClosed(query: Query): Promise<Held> {
  const held = nothing();
  const rows = await query(
    `SELECT app, sum(rows), sum(bytes) FROM ${SCHEMA}.room WHERE day < (SELECT closed FROM ${SCHEMA}.store) GROUP BY app`,
  );
  for (const [app, count, bytes] of rows) {
    held.bytes.set(String(app), Number(bytes));
    held.tallies += Number(count);
  }
  return held;
}

async function readHeld(query: Query, closed: Held): Promise<Held> {
  const held: Held = { ...nothing(), bytes: new Map(closed.bytes), tallies: closed.tallies };
  for (const [app, ids] of await query(`SELECT app, sum(ids) FROM ${SCHEMA}.app_ids GROUP BY app`)) add(held.ids, String(app), Number(ids));
  const rows = await query(
    `SELECT app, day, sum(rows), sum(bytes) FROM ${SCHEMA}.room WHERE day >= (SELECT closed FROM ${SCHEMA}.store) GROUP BY app, day`,
  );
  for (const [app, day, count, bytes] of rows) {
    add(held.rows, placeOf(String(app), Number(day)), Number(count));
    add(held.bytes, String(app), Number(bytes));
    held.tallies += Number(count);
  }
  for (const [head] of await query(`SELECT head FROM ${SCHEMA}.delta`)) {
    const { additions, ids } = readHead(String(head));
    held.deltas++;
    for (const [app, , count] of ids) add(held.ids, app, count);
    for (const { partition, rows: opened } of additions)
      for (const counts of [held.rows, held.pending]) add(counts, placeOf(appOf(partition[0]), partition[1]), opened);
  }
  return held;
}

/** Quotas of apps, as far as this collector knows. */
export class AppQuotas {
  readonly #database: Database;
  readonly #limits: QuotaLimits;
  readonly #apps = new Set<string>();
  #closed: Held = nothing();
  #closedAt = Number.NEGATIVE_INFINITY;
  #held: Held = nothing();
  #heldAt = Number.NEGATIVE_INFINITY;
  #added: Added[] = [];
  readonly #tight = new Map<string, number>();

  constructor(database: Database, limits: QuotaLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** Gives the apps of further schemas a share of the ids. */
  share(shapes: Shapes): void {
    for (const schema of shapes.keys()) this.#apps.add(appOf(schema));
  }

  /** True if this collector has added something since the last reading, or others may have added much. */
  get isStale(): boolean {
    return this.#added.length > 0 || performance.now() > this.#heldAt + HELD;
  }

  /** Reads what the database holds now, and of closed days now and then. `isAll` reads these, too. */
  async refresh(isAll = false): Promise<void> {
    const isDue = isAll || performance.now() > this.#closedAt + CLOSED;
    const before = new Set(this.#added.filter(({ isCommitted }) => isCommitted));
    await this.#database.transaction(async (query) => {
      const closed = isDue ? await readClosed(query) : this.#closed;
      this.#held = await readHeld(query, closed);
      this.#closed = closed;
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
    this.#heldAt = performance.now();
    if (isDue) this.#closedAt = this.#heldAt;
    this.#added = this.#added.filter((added) => !before.has(added)); // they are among what was read
  }

  /** Counts what a flush adds, from before its transaction. Returns the function that takes it back. */
  reserve(added: Added): () => void {
    this.#added.push(added);
    return () => {
      this.#added = this.#added.filter((each) => each !== added);
    };
  }

  /** The ids that are left for a flush (`quota.ts`). */
  quota(): IdQuota {
    const ids = new Map(this.#held.ids);
    for (const added of this.#added) for (const [app, , count] of added.ids) add(ids, app, count);
    const share = Math.floor(this.#limits.mostIds / (2 * Math.max(this.#apps.size, 1)));
    const reserved = [...this.#apps].reduce((sum, app) => sum + Math.max(0, share - (ids.get(app) ?? 0)), 0);
    const kept = [...ids.values()].reduce((sum, count) => sum + count, 0);
    return new IdQuota(this.#limits.mostIds - kept, reserved, (app) => (ids.get(app) ?? 0) - (this.#apps.has(app) ? share : 0));
  }

  /** The rows that batches of an app's day may still open. */
  rowsLeft(app: string, day: number): number {
    if ((this.#held.bytes.get(app) ?? 0) >= this.#limits.mostBytes) return 0;
    return this.#limits.mostRows - (this.#held.rows.get(placeOf(app, day)) ?? 0) - this.#ownRows(app, day);
  }

  /** True if all rows of an app's day are in the tallies, as far as this collector knows, so that its number of rows is exact. */
  isExact(app: string, day: number): boolean {
    return (this.#held.pending.get(placeOf(app, day)) ?? 0) === 0 && this.#ownRows(app, day) === 0;
  }

  /** True if a flush has found little room for an app's day, a moment ago. */
  isTight(place: string): boolean {
    return performance.now() < (this.#tight.get(place) ?? 0);
  }

  tighten(place: string): void {
    const now = performance.now();
    for (const [name, until] of this.#tight) if (until < now) this.#tight.delete(name);
    this.#tight.set(place, now + TIGHT);
  }

  #ownRows(app: string, day: number): number {
    return this.#added.reduce((sum, { rows }) => sum + rows.reduce((all, [a, d, n]) => all + (a === app && d === day ? n : 0), 0), 0);
  }

  get sizes(): StoreSizes {
    const { mostIds } = this.#limits;
    return {
      ...(mostIds < QUOTA_LIMITS.mostIds && { mostIds, isFull: this.quota().isFull(this.#apps) }),
      ids: [...this.#held.ids.values()].reduce((sum, count) => sum + count, 0),
      rows: this.#held.tallies,
      deltas: this.#held.deltas,
    };
  }
}

/** The fewest words of a report: its metric, its cohort, and one for its symbol or bits. */
const LEAST_WORDS = 3;

/** An app's day may have no room for all rows of a group. */
export class TooTight extends InternalFault {
  readonly place: string;

  constructor(place: string) {
    super(`little room for ${place.replace('\n', ' on day ')}`);
    this.place = place;
  }
}

/** A flush's knowledge of days of apps with little room: which these are, and whether deltas were folded since it began. */
export interface Tight {
  readonly places: Set<string>;
  isFolded: boolean;
}

/** The name of a partition's app and day. */
export const placeOfPartition = ([schema, day]: Partition): string => placeOf(appOf(schema), day);

/** A row that a report is counted in. */
interface Row {
  readonly batch: Batch;
  readonly metric: string;
  readonly cohort: number;
  readonly name: string;
}

const nameOf = (schema: string, day: number, segment: string, metric: string, cohort: number): string =>
  `${schema}\n${day}\n${segment}\n${metric}\n${cohort}`;

/** The rows that a batch's reports are counted in. */
function rowsOf({ words }: Group, batch: Batch, shapes: Shapes): readonly Row[] {
  const { start, partition } = batch;
  const [schema, day, segment] = partition;
  const metrics = shapes.get(schema) ?? [];
  const packings = new Map<number, Packing>();
  const rows: Row[] = [];
  const end = start + HEAD + (words[start + 1] as number);
  for (let at = start + HEAD; at < end; ) {
    const [number, cohort] = [words[at] as number, words[at + 1] as number];
    const metric = metrics[number];
    if (metric === undefined) throw new RangeError(`expected a metric of ${schema}, got number ${number}`);
    const packing = packings.get(number) ?? packingOf(metric.shape);
    packings.set(number, packing);
    rows.push({ batch, metric: metric.name, cohort, name: nameOf(schema, day, segment, metric.name, cohort) });
    at += 1 + packing.words;
  }
  return rows;
}

const FIND = `
  SELECT schema, day, segment, metric, cells FROM ${SCHEMA}.tally
    JOIN unnest($1::smallint[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[])
      AS wanted (shard, metric, schema, day, segment, block) USING (shard, metric, schema, day, segment, block)`;

/** The rows that are in the tallies, of those that batches' reports are counted in. */
export async function readRows(query: Query, group: Group, batches: readonly Batch[], shapes: Shapes): Promise<Set<string>> {
  const blocks = new Map<string, readonly [number, string, string, number, string, number]>();
  for (const batch of batches) {
    const [schema, day, segment] = batch.partition;
    for (const { metric, cohort } of rowsOf(group, batch, shapes)) {
      const block = Math.floor(cohort / BLOCK);
      blocks.set(nameOf(schema, day, segment, metric, block), [shardOf(schema, metric), metric, schema, day, segment, block]);
    }
  }
  const all = [...blocks.values()];
  const found = await query(
    FIND,
    [0, 1, 2, 3, 4, 5].map((column) => all.map((key) => key[column])),
  );
  const names = new Set<string>();
  for (const [schema, day, segment, metric, cells] of found) {
    const { cohorts } = unpackTallies(cells as Uint8Array);
    for (const cohort of Array.from(cohorts)) names.add(nameOf(String(schema), Number(day), String(segment), String(metric), cohort));
  }
  return names;
}

/** Results of batches. */
export interface Admitted {
  readonly refused: ReadonlySet<Batch>;
  /** The rows that batches of tight places open, by `partNameOf`. */
  readonly opened: ReadonlyMap<string, number>;
}

/** The name of a metric at a partition. */
export const partNameOf = ([schema, day, segment]: Partition, metric: string): string => `${schema}\n${day}\n${segment}\n${metric}`;

/**
 * Judges batches whose ids are new, in their order.
 *
 * @param tight the places of which rows were read
 * @param known these rows; those that the batches open are added
 * @throws {TooTight} when the rows of another place must be read, or deltas may have some of them
 */
export function admit(
  group: Group,
  batches: readonly Batch[],
  quotas: AppQuotas,
  shapes: Shapes,
  tight: Tight,
  known: Set<string>,
): Admitted {
  const quota = quotas.quota();
  const lefts = new Map<string, { left: number }>();
  const opened = new Map<string, number>();
  const ofPartition = group.partitions.map(([schema, day]) => {
    const app = appOf(schema);
    const name = placeOf(app, day);
    const place = lefts.get(name) ?? { left: quotas.rowsLeft(app, day) };
    lefts.set(name, place);
    return { app, day, name, place, usage: quota.usageOf(app), isTight: tight.places.has(name) };
  });
  const refused = batches.filter((batch) => {
    const { app, day, name, place, usage, isTight } = ofPartition[group.words[batch.start] as number] as (typeof ofPartition)[number];
    if (!quota.hasRoom(usage)) return true;
    if (!isTight) {
      place.left -= Math.floor((group.words[batch.start + 1] as number) / LEAST_WORDS);
      if (place.left < 0) throw new TooTight(name);
    } else {
      if (!tight.isFolded && !quotas.isExact(app, day)) throw new TooTight(name);
      const rows = new Map(rowsOf(group, batch, shapes).flatMap((row) => (known.has(row.name) ? [] : [[row.name, row.metric]])));
      if (rows.size > 0 && rows.size > place.left) return true;
      place.left -= rows.size;
      for (const [row, metric] of rows) {
        known.add(row);
        const part = partNameOf(batch.partition, metric);
        opened.set(part, (opened.get(part) ?? 0) + 1);
      }
    }
    quota.take(usage);
    return false;
  });
  return { refused: new Set(refused), opened };
}
