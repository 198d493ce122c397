/**
 * Folds: adds deltas to the tallies, a shard in each transaction, under the lock of the shard. A shard that another collector works on is
 * left to it. A fold changes nothing that readers see, because they add up tallies and deltas in one snapshot.
 */

import type { Partition } from '../group-commit.ts';
import { appOf } from '../quota.ts';
import type { PackedTallies } from '../tallying/sums.ts';
import { BlockSums, Sums, TABLES, writeSums } from './blocks.ts';
import type { Database, Query } from './database.ts';
import type { MetricSums } from './group-sums.ts';
import { byteas, smallints, texts, unpackOnes, unpackTallies } from './packed.ts';
import { checkVersion, SCHEMA, shardOf } from './tables.ts';

// Deltas: what one flush adds to the tallies. The sums of a row lie one after the other in `sums`; `head` is JSON and says what each is of,
// so that totals are known without reading the sums.
//
// A row has one metric's sums of one day, or the number of ids of one app's day, and a random id of its own. So no column joins a device's
// answers to two questions or on two days, even where a flush has one batch only, and none says when they came.

/** Batches of an app's day, whose ids are in the same transaction. */
export type Ids = readonly [app: string, day: number, ids: number];

/** One metric's part of a delta: the index of its partition, its name, its reports, its rows, and the bytes of its tallies and its ones. */
type Part = readonly [partition: number, metric: string, reports: number, rows: number, tallies: number, ones: number];

interface Head {
  readonly partitions: readonly Partition[];
  readonly parts: readonly Part[];
  readonly ids: readonly Ids[];
}

/** A row of `delta`. */
export interface DeltaRow {
  readonly shard: number;
  readonly head: string;
  readonly sums: Uint8Array;
}

/** The sums of a metric at a partition. */
export interface Addition {
  readonly partition: Partition;
  readonly metric: string;
  readonly reports: number;
  /** The rows that they open at most: the number of tallies, each of one cohort, or less where it is known. */
  readonly rows: number;
}

/** The same, with its tallies. */
export interface FullAddition extends Addition {
  readonly tallies: PackedTallies;
  readonly ones: ReadonlyMap<number, number>;
}

interface Growing extends Head {
  readonly shard: number;
  readonly partitions: Partition[];
  readonly parts: Part[];
  readonly bytes: Uint8Array[];
}

/**
 * The rows that add sums to the tallies, and ids to those that apps have.
 *
 * @param openedBy the rows of the tables that sums open, where that is known
 */
export function deltaRows(
  all: readonly MetricSums[],
  ids: readonly Ids[],
  openedBy: (sums: MetricSums) => number | undefined,
): readonly DeltaRow[] {
  const rows = new Map<string, Growing>();
  for (const sums of all) {
    const { partition, metric, reports, tallies, ones } = sums;
    const [schema, day] = partition;
    const name = `${appOf(schema)}\n${day}\n${metric}`;
    const row: Growing = rows.get(name) ?? { shard: shardOf(schema, metric), partitions: [], parts: [], ids: [], bytes: [] };
    rows.set(name, row);
    row.parts.push([row.partitions.push(partition) - 1, metric, reports, openedBy(sums) ?? sums.rows, tallies.length, ones.length]);
    row.bytes.push(tallies, ones);
  }
  const ofIds = ids.map((count): Growing => ({ shard: shardOf(`${count[0]}/`, ''), partitions: [], parts: [], ids: [count], bytes: [] }));
  return [...rows.values(), ...ofIds].map(({ shard, bytes, ...head }) => ({
    shard,
    head: JSON.stringify(head satisfies Head),
    sums: Buffer.concat(bytes),
  }));
}

const APPEND = `
  INSERT INTO ${SCHEMA}.delta (shard, head, sums)
    SELECT * FROM unnest($1::smallint[], $2::text[], $3::bytea[])`;

/** Appends the rows of a flush. */
export const appendDeltas = (query: Query, rows: readonly DeltaRow[]): Promise<unknown> =>
  query(APPEND, [
    smallints(rows.length, (i) => (rows[i] as DeltaRow).shard),
    texts(rows.map(({ head }) => head)),
    byteas(rows.map(({ sums }) => sums)),
  ]);

const readParts = ({ partitions, parts }: Head): readonly Addition[] =>
  parts.map(([partition, metric, reports, rows]) => ({ partition: partitions[partition] as Partition, metric, reports, rows }));

/** Additions of a delta, by its head alone. */
export function readHead(text: string): { readonly additions: readonly Addition[]; readonly ids: readonly Ids[] } {
  const head = JSON.parse(text) as Head;
  return { additions: readParts(head), ids: head.ids };
}

/** Additions of a delta. */
export function readDelta({ head: text, sums }: Pick<DeltaRow, 'head' | 'sums'>): {
  readonly additions: readonly FullAddition[];
  readonly ids: readonly Ids[];
} {
  const head = JSON.parse(text) as Head;
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return sums.subarray(at - length, at);
  };
  const additions = readParts(head).map((addition, i): FullAddition => {
    const [, , , , tallies, ones] = head.parts[i] as Part;
    return { ...addition, tallies: unpackTallies(take(tallies)), ones: unpackOnes(take(ones)) };
  });
  return { additions, ids: head.ids };
}

/** Deltas that one transaction folds, which takes some tens of milliseconds, and transactions of one shard before it is the next one's turn. */
const MOST = 50;
const PASSES = 20;

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

/** A delta, and its place in the table. Another one may be there later, and is as good to fold. */
interface Listed {
  readonly id: string;
  readonly place: string;
}

/**
 * Folds the deltas of a shard at some places. Returns whether nobody else has the shard. (By their ids, the database would walk through all
 * dead rows of the shard: where nearly all are dead, it takes the table for a small one. `+ 0` keeps it from the index.)
 */
async function foldSome(query: Query, last: Query, shard: number, places: readonly string[]): Promise<boolean> {
  if (!(await lockShard(query, shard))) return false;
  const [[[kept, closed, version] = []], deltas] = await Promise.all([
    // Shared with other folds, and not with retention while it moves its borders.
    query(`SELECT kept, closed, version FROM ${SCHEMA}.store FOR SHARE`),
    query(`DELETE FROM ${SCHEMA}.delta WHERE ctid = ANY($2::tid[]) AND shard + 0 = $1 RETURNING head, sums`, [shard, places]),
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
 * The deltas that there are, by shard, and roughly in the order in which they came. While an old snapshot is open, the dead rows of the table
 * stay, by the million after some hours. An index leads through all of them to each row one by one, which takes ten times as long as reading
 * the table; so the condition is one that no index can answer.
 */
async function listDeltas(query: Query): Promise<ReadonlyMap<number, readonly Listed[]>> {
  const shards = new Map<number, Listed[]>();
  for (const [shard, id, place] of await query(`SELECT shard, id, ctid::text FROM ${SCHEMA}.delta WHERE head <> ''`)) {
    const listed = shards.get(Number(shard)) ?? [];
    shards.set(Number(shard), listed);
    listed.push({ id: String(id), place: String(place) });
  }
  return shards;
}

/** Folds what is there, and knows for how long it could not. */
export class Folding {
  readonly #database: Database;
  /** When deltas were listed last, and since when one delta of each shard has been listed that is not folded yet. */
  #listed: number = performance.now();
  readonly #pending = new Map<number, { readonly id: string; readonly since: number }>();

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
    for (const [shard, listed] of shards) {
      try {
        await this.#foldShard(shard, listed.slice(0, PASSES * MOST));
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return shards.size;
  }

  async #foldShard(shard: number, listed: readonly Listed[]): Promise<void> {
    for (let at = 0; at < listed.length; at += MOST) {
      const some = listed.slice(at, at + MOST);
      const places = some.map(({ place }) => place);
      if (!(await this.#database.transaction((query, last) => foldSome(query, last, shard, places)))) return;
      if (some.some(({ id }) => id === this.#pending.get(shard)?.id)) this.#pending.delete(shard);
    }
  }

  #list(shards: ReadonlyMap<number, readonly Listed[]>): void {
    this.#listed = performance.now();
    for (const [shard, { id }] of this.#pending)
      if (shards.get(shard)?.some((listed) => listed.id === id) !== true) this.#pending.delete(shard);
    for (const [shard, [first]] of shards)
      if (first !== undefined && !this.#pending.has(shard)) this.#pending.set(shard, { id: first.id, since: this.#listed });
  }
}
