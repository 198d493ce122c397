/**
 * Whether there is room for what is new in batches: for their ids (`app-ids.ts`), and for the rows that their reports open. Where the rows
 * that an app's day may still open are fewer than its batches might, the rows that are there are read first.
 */

import { type Packing, packingOf } from '@murmuration/shared';
import { type Group, HEAD } from '../group.ts';
import { appOf } from '../room.ts';
import type { Shapes } from '../store.ts';
import type { Batch } from './batch-ids.ts';
import type { Query } from './database.ts';
import type { Holdings } from './holdings.ts';
import { BLOCK, unpackTallies } from './packed.ts';
import { SCHEMA, shardOf } from './tables.ts';

/** The fewest words of a report: its metric, its cohort, and one for its symbol or bits. */
const LEAST_WORDS = 3;

/** There may be no room for all rows of a group, so the rows that are there must be known. */
export class TooTight extends Error {}

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

/**
 * Judges batches whose ids are new, in their order. Returns those that there is no room for.
 *
 * @param known the rows that are there, if they were read; those that these batches open are added
 * @throws {TooTight} when they must be read
 */
export function withoutRoom(
  group: Group,
  batches: readonly Batch[],
  holdings: Holdings,
  shapes: Shapes,
  known: Set<string> | undefined,
): readonly Batch[] {
  const quota = holdings.quota();
  const places = new Map<string, { left: number }>();
  return batches.filter((batch) => {
    const [schema, day] = batch.partition;
    const app = appOf(schema);
    const holding = quota.holdingOf(app);
    if (!quota.hasRoom(holding)) return true;
    const place = places.get(`${app}\n${day}`) ?? { left: holdings.rowsLeft(app, day) };
    places.set(`${app}\n${day}`, place);
    if (known === undefined) {
      place.left -= Math.floor((group.words[batch.start + 1] as number) / LEAST_WORDS);
      if (place.left < 0) throw new TooTight();
    } else {
      const opened = new Set(rowsOf(group, batch, shapes).flatMap(({ name }) => (known.has(name) ? [] : [name])));
      if (opened.size > 0 && opened.size > place.left) return true;
      place.left -= opened.size;
      for (const name of opened) known.add(name);
    }
    quota.take(holding);
    return false;
  });
}
