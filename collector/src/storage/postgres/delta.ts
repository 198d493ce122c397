/**
 * Deltas: what one flush adds to the tallies of one shard. The sums of a row lie one after the other in `sums`; `head` is JSON and says what
 * each is of, so that totals are known without reading the sums.
 */

import type { Partition } from '../group.ts';
import type { PackedTallies } from '../tallying/tally-sums.ts';
import { byteas, smallints, texts } from './binary.ts';
import type { Query } from './database.ts';
import { flushId } from './flush-id.ts';
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

interface Growing {
  readonly partitions: Map<Partition, number>;
  readonly parts: Part[];
  readonly bytes: Uint8Array[];
}

/**
 * The rows that add sums to the tallies. The first of them has the ids.
 *
 * @param openedBy the rows of the tables that sums open, where that is known
 */
export function deltaRows(
  all: readonly MetricSums[],
  ids: readonly Ids[],
  openedBy: (sums: MetricSums) => number | undefined,
): readonly DeltaRow[] {
  const shards = new Map<number, Growing>();
  for (const sums of all) {
    const { partition, metric, reports, tallies, ones } = sums;
    const shard = shardOf(partition[0], metric);
    const row: Growing = shards.get(shard) ?? { partitions: new Map(), parts: [], bytes: [] };
    shards.set(shard, row);
    const number = row.partitions.get(partition) ?? row.partitions.size;
    row.partitions.set(partition, number);
    row.parts.push([number, metric, reports, openedBy(sums) ?? sums.rows, tallies.length, ones.length]);
    row.bytes.push(tallies, ones);
  }
  return [...shards].map(([shard, { partitions, parts, bytes }], i) => {
    const head: Head = { partitions: [...partitions.keys()], parts, ids: i === 0 ? ids : [] };
    return { shard, head: JSON.stringify(head), sums: Buffer.concat(bytes) };
  });
}

const APPEND = `
  INSERT INTO ${SCHEMA}.delta (shard, flush, head, sums)
    SELECT shard, $2::uuid, head, sums FROM unnest($1::smallint[], $3::text[], $4::bytea[]) AS rows (shard, head, sums)`;

/** Appends the rows of a flush. */
export const appendDeltas = (query: Query, rows: readonly DeltaRow[]): Promise<unknown> =>
  query(APPEND, [
    smallints(rows.length, (i) => (rows[i] as DeltaRow).shard),
    flushId(),
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
