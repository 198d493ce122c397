/**
 * Deltas: what one flush adds to the tallies. The sums of a row lie one after the other in `sums`; `head` is JSON and says what each is of,
 * so that totals are known without reading the sums.
 *
 * A row has one metric's sums of one day, or the number of ids of one app's day, and a random id of its own. So no column joins a device's
 * answers to two questions or on two days, even where a flush has one batch only, and none says when they came.
 */

import type { Partition } from '../group.ts';
import { appOf } from '../room.ts';
import type { PackedTallies } from '../tallying/tally-sums.ts';
import { byteas, smallints, texts } from './binary.ts';
import type { Query } from './database.ts';
import type { MetricSums } from './group-sums.ts';
import { unpackOnes, unpackTallies } from './packed.ts';
import { SCHEMA, shardOf } from './tables.ts';

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

/** What a delta adds, by its head alone. */
export function readHead(text: string): { readonly additions: readonly Addition[]; readonly ids: readonly Ids[] } {
  const head = JSON.parse(text) as Head;
  return { additions: readParts(head), ids: head.ids };
}

/** What a delta adds. */
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
