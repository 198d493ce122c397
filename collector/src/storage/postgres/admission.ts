/**
 * Whether there is room for what is new in batches: for their ids (`app-ids.ts`), and for the rows that their reports open. Where the rows
 * that an app's day may still open are fewer than its batches might, the rows that are there are read first.
 */

import { type Packing, packingOf } from '@murmuration/shared';
import type { Shapes } from '../../schemas/published.ts';
import { type Group, HEAD, type Partition } from '../group.ts';
import { appOf } from '../room.ts';
import type { Batch } from './batch-ids.ts';
import type { Query } from './database.ts';
import { type Holdings, placeOf } from './holdings.ts';
import { BLOCK, unpackTallies } from './packed.ts';
import { SCHEMA, shardOf } from './tables.ts';

/** The fewest words of a report: its metric, its cohort, and one for its symbol or bits. */
const LEAST_WORDS = 3;

/** An app's day may have no room for all rows of a group. */
export class TooTight extends Error {
  readonly place: string;

  constructor(place: string) {
    super(`little room for ${place.replace('\n', ' on day ')}`);
    this.place = place;
  }
}

/** What a flush knows of days of apps with little room: which these are, and whether deltas were folded since it began. */
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

/** What becomes of batches. */
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
  holdings: Holdings,
  shapes: Shapes,
  tight: Tight,
  known: Set<string>,
): Admitted {
  const quota = holdings.quota();
  const lefts = new Map<string, { left: number }>();
  const opened = new Map<string, number>();
  const ofPartition = group.partitions.map(([schema, day]) => {
    const app = appOf(schema);
    const name = placeOf(app, day);
    const place = lefts.get(name) ?? { left: holdings.rowsLeft(app, day) };
    lefts.set(name, place);
    return { app, day, name, place, holding: quota.holdingOf(app), isTight: tight.places.has(name) };
  });
  const refused = batches.filter((batch) => {
    const { app, day, name, place, holding, isTight } = ofPartition[group.words[batch.start] as number] as (typeof ofPartition)[number];
    if (!quota.hasRoom(holding)) return true;
    if (!isTight) {
      place.left -= Math.floor((group.words[batch.start + 1] as number) / LEAST_WORDS);
      if (place.left < 0) throw new TooTight(name);
    } else {
      if (!tight.isFolded && !holdings.isExact(app, day)) throw new TooTight(name);
      const rows = new Map(rowsOf(group, batch, shapes).flatMap((row) => (known.has(row.name) ? [] : [[row.name, row.metric]])));
      if (rows.size > 0 && rows.size > place.left) return true;
      place.left -= rows.size;
      for (const [row, metric] of rows) {
        known.add(row);
        const part = partNameOf(batch.partition, metric);
        opened.set(part, (opened.get(part) ?? 0) + 1);
      }
    }
    quota.take(holding);
    return false;
  });
  return { refused: new Set(refused), opened };
}
