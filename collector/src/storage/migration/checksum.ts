/**
 * Checksums of all that readers see, taken from an embedded store and from the database by ways that share nothing but the order: metrics by
 * schema and name, their days, then their months, and in each the segments and cohorts, with the reports and the bytes of the counts.
 */

import { createHash } from 'node:crypto';
import type { Database, Query } from '../postgres/database.ts';
import { encodedTallies, unpackTallies } from '../postgres/packed.ts';
import { SCHEMA, shardOf } from '../postgres/tables.ts';
import type { Piece, Source, SourceMetric, StoredTally } from './source.ts';
import type { Copied } from './target.ts';

/** Bytes of tallies that are read from the database at once. */
const MOST_BYTES = 2 ** 23;

/** A day after all days. */
const NO_DAY = 2 ** 31 - 1;

/** What there is, and its checksum. */
export interface Sum {
  readonly metrics: number;
  readonly tallies: number;
  readonly reports: number;
  readonly checksum: string;
}

/** Adds up what is read in order. */
class Summing {
  readonly #hash = createHash('sha256');
  #metrics = 0;
  #tallies = 0;
  #reports = 0;

  metric({ schema, metric, reports, first, last }: SourceMetric): void {
    this.#metrics++;
    this.#say('metric', schema, metric, reports, first, last);
  }

  tally(kind: Piece['kind'], day: number, { segment, cohort, reports, cells }: StoredTally): void {
    this.#tallies++;
    this.#reports += reports;
    this.#say(kind, day, segment, cohort, reports, cells.length);
    this.#hash.update(cells);
  }

  counts(name: 'total' | 'ones', rows: readonly (readonly number[])[]): void {
    for (const row of rows) this.#say(name, ...row);
  }

  sum(): Sum {
    const checksum = this.#hash.digest('hex').slice(0, 32);
    return { metrics: this.#metrics, tallies: this.#tallies, reports: this.#reports, checksum };
  }

  #say(...values: readonly unknown[]): void {
    this.#hash.update(`${JSON.stringify(values)}\n`);
  }
}

/** The pieces of each metric, days before months, each in order. */
function piecesByMetric<T extends Piece>(pieces: Iterable<T>): ReadonlyMap<string, readonly T[]> {
  const metrics = new Map<string, T[]>();
  for (const piece of pieces) {
    const name = `${piece.schema}\n${piece.metric}`;
    metrics.set(name, metrics.get(name) ?? []);
    metrics.get(name)?.push(piece);
  }
  const rank = ({ kind, day }: Piece): number => day + (kind === 'day' ? 0 : 2 ** 32);
  for (const all of metrics.values()) all.sort((a, b) => rank(a) - rank(b));
  return metrics;
}

/** The checksum of an embedded store that nobody writes. */
export function sumOfSource(source: Source): Sum {
  const summing = new Summing();
  const pieces = piecesByMetric(source.pieces());
  for (const metric of source.metrics()) {
    summing.metric(metric);
    for (const piece of pieces.get(`${metric.schema}\n${metric.metric}`) ?? [])
      for (const tally of source.tallies(piece)) summing.tally(piece.kind, piece.day, tally);
    summing.counts('total', source.totals(metric));
    summing.counts('ones', source.ones(metric));
  }
  return summing.sum();
}

/** All days in ranges that are read at once. */
function* rangesOf(pieces: readonly Copied[]): Generator<readonly [from: number, to: number]> {
  let [from, bytes] = [0, 0];
  for (const { day, bytes: more } of pieces) {
    if (bytes > 0 && bytes + more > MOST_BYTES) {
      yield [from, day - 1];
      [from, bytes] = [day, 0];
    }
    bytes += more;
  }
  yield [from, NO_DAY];
}

const OF_METRIC = 'shard = $1 AND metric = $2 AND schema = $3';

type Key = readonly [shard: number, metric: string, schema: string];

async function readDays(query: Query, key: Key, kind: Piece['kind'], days: readonly [number, number], summing: Summing): Promise<void> {
  const rows = await query(
    `SELECT day, segment, cells FROM ${SCHEMA}.${kind === 'day' ? 'tally' : 'monthly'}
      WHERE ${OF_METRIC} AND day BETWEEN $4 AND $5 ORDER BY day, segment, block`,
    [...key, ...days],
  );
  for (const [day, segment, cells] of rows)
    for (const [cohort, tally] of encodedTallies(unpackTallies(cells as Uint8Array)))
      summing.tally(kind, Number(day), { segment: String(segment), cohort, ...tally });
}

/**
 * The checksum of a database that nobody writes.
 *
 * @param copied says how much may be read at once, and nothing else
 */
export async function sumOfTarget(database: Database, copied: Iterable<Copied>): Promise<Sum> {
  const summing = new Summing();
  const pieces = piecesByMetric(copied);
  const metrics = await database.transaction((query) =>
    query(`SELECT schema, metric, reports, first, last FROM ${SCHEMA}.metric ORDER BY schema, metric`),
  );
  const dayOf = (day: unknown): number | null => (day === null ? null : Number(day));
  for (const row of metrics) {
    const [schema, metric] = [String(row[0]), String(row[1])];
    const key: Key = [shardOf(schema, metric), metric, schema];
    summing.metric({ schema, metric, reports: Number(row[2]), first: dayOf(row[3]), last: dayOf(row[4]) });
    const known = pieces.get(`${schema}\n${metric}`) ?? [];
    for (const kind of ['day', 'month'] as const)
      for (const days of rangesOf(known.filter((piece) => piece.kind === kind)))
        await database.transaction((query) => readDays(query, key, kind, days, summing));
    const counts = await database.transaction(async (query) => [
      await query(`SELECT day, reports FROM ${SCHEMA}.total WHERE ${OF_METRIC} ORDER BY day`, key),
      await query(`SELECT day, ones, reports FROM ${SCHEMA}.ones WHERE ${OF_METRIC} ORDER BY day, ones`, key),
    ]);
    for (const [i, rows] of counts.entries())
      summing.counts(
        i === 0 ? 'total' : 'ones',
        rows.map((each) => each.map(Number)),
      );
  }
  return summing.sum();
}
