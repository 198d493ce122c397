/**
 * Deltas: what one flush adds to the tallies of one shard. The sums of a row lie one after the other in `sums`; `head` is JSON and says what
 * each is of, so that totals are known without reading the sums.
 */

import { encodeCells } from '../cell-codec.ts';
import type { Partition } from '../group.ts';
import type { PackedTallies } from '../tally-sums.ts';
import type { Delta } from '../unfolded.ts';
import { packOnes, packTallies, unpackOnes, unpackTallies } from './packed.ts';
import { shardOf } from './tables.ts';

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

function partOf(
  { metric, folder }: Delta,
  partition: number,
  rows: number | undefined,
): { readonly part: Part; readonly bytes: readonly Uint8Array[] } {
  const tallies = folder.tallies();
  const encoded = new Map([...tallies].map(([cohort, { reports, cells }]) => [cohort, { reports, cells: encodeCells(cells) }]));
  const reports = [...tallies.values()].reduce((sum, tally) => sum + tally.reports, 0);
  const [packed, ones] = [packTallies(encoded), packOnes(folder.ones())];
  return { part: [partition, metric, reports, rows ?? tallies.size, packed.length, ones.length], bytes: [packed, ones] };
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
  deltas: readonly Delta[],
  ids: readonly Ids[],
  openedBy: (delta: Delta) => number | undefined,
): readonly DeltaRow[] {
  const shards = new Map<number, Growing>();
  for (const delta of deltas) {
    const { partition, metric } = delta;
    const shard = shardOf(partition[0], metric);
    const row: Growing = shards.get(shard) ?? { partitions: new Map(), parts: [], bytes: [] };
    shards.set(shard, row);
    const number = row.partitions.get(partition) ?? row.partitions.size;
    row.partitions.set(partition, number);
    const { part, bytes } = partOf(delta, number, openedBy(delta));
    row.parts.push(part);
    row.bytes.push(...bytes);
  }
  return [...shards].map(([shard, { partitions, parts, bytes }], i) => {
    const head: Head = { partitions: [...partitions.keys()], parts, ids: i === 0 ? ids : [] };
    return { shard, head: JSON.stringify(head), sums: Buffer.concat(bytes) };
  });
}

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
