/** Reads how many reports came, by schema, metric, day and segment: the rows of a table of participation, without what is in them. */

import { DatabaseSync } from 'node:sqlite';
import { ACCEPTED_DAYS, dayNumber, dayText } from '@murmuration/shared';
import { TIMEOUT } from '../../storage/files/database.ts';
import { Database } from '../../storage/postgres/database.ts';
import { readHead } from '../../storage/postgres/fold.ts';
import { SCHEMA, shardOf } from '../../storage/postgres/tables.ts';
import type { DayRange, FileSource, PostgresSource, TallySource } from '../../storage/store.ts';

/** Reports that have all of this in common. */
export interface ReportCount {
  /** Wire name. */
  readonly schema: string;
  readonly metric: string;
  readonly day: number;
  readonly segment: { readonly [name: string]: string };
  readonly reports: number;
}

/** Which rows are wanted. */
export interface WantedRows extends DayRange {
  /** Wire names. */
  readonly schemas: readonly string[];
  readonly metrics: readonly string[];
}

/** The rows, read in one snapshot. */
export interface Participation {
  readonly rows: readonly ReportCount[];
  /** The first day that is kept as a day. Reports of earlier days are added up by month, or deleted. */
  readonly firstDay: number;
}

/**
 * How many days of a range could still take reports, by the clock. The days that a store has closed follow from the reports that it took,
 * so they would tell about them.
 *
 * @param now milliseconds since 1970
 */
export const openDaysIn = ({ from, to }: DayRange, now: number): number =>
  Math.max(0, to + 1 - Math.max(from, dayNumber(now) - ACCEPTED_DAYS.before));

/** @throws {RangeError} when the first day of a range is no longer kept as a day */
export function checkKept(from: number, { firstDay }: Participation): void {
  if (from < firstDay)
    throw new RangeError(
      `from: expected a day from ${dayText(firstDay)}, since earlier ones are kept as months or not at all, got ${dayText(from)}`,
    );
}

type Row = readonly unknown[];

const rowOf = ([schema, metric, day, segment, reports]: Row): ReportCount => ({
  schema: String(schema),
  metric: String(metric),
  day: Number(day),
  segment: JSON.parse(String(segment)) as ReportCount['segment'],
  reports: Number(reports),
});

function readFile({ file }: FileSource, { schemas, metrics, from, to }: WantedRows): Participation {
  const database = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  try {
    database.exec('BEGIN');
    const numberOf = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
    const marks = (list: readonly string[]): string => list.map(() => '?').join();
    const select = database.prepare(
      `SELECT metric.schema, metric.name, day, json, sum(tally.reports) FROM tally
        JOIN metric ON metric.n = tally.metric JOIN segment ON segment.n = tally.segment
        WHERE metric.schema IN (${marks(schemas)}) AND metric.name IN (${marks(metrics)}) AND day BETWEEN ? AND ?
        GROUP BY tally.metric, day, tally.segment`,
    );
    select.setReturnArrays(true);
    const firstDay = numberOf('SELECT max(rolled, kept) FROM border');
    const found = from < firstDay ? [] : (select.all(...schemas, ...metrics, from, to) as unknown as readonly Row[]);
    return { rows: found.map(rowOf), firstDay };
  } finally {
    database.close();
  }
}

async function readDatabase(source: PostgresSource, { schemas, metrics, from, to }: WantedRows): Promise<Participation> {
  const database = new Database(source, { connections: 1, isGuarded: false });
  const [anySchema = ''] = schemas;
  const shards = [...new Set(metrics.map((metric) => shardOf(anySchema, metric)))];
  try {
    return await database.transaction(async (query) => {
      const [[first] = []] = await query(`SELECT greatest(rolled, kept) FROM ${SCHEMA}.store`);
      const firstDay = Number(first);
      if (from < firstDay) return { rows: [], firstDay };
      const folded = await query(
        `SELECT schema, metric, day, segment, sum(reports) FROM ${SCHEMA}.tally
          WHERE shard = ANY($1) AND metric = ANY($2) AND schema = ANY($3) AND day BETWEEN $4 AND $5 GROUP BY schema, metric, day, segment`,
        [shards, metrics, schemas, from, to],
      );
      const heads = await query(`SELECT head FROM ${SCHEMA}.delta WHERE shard = ANY($1)`, [shards]);
      const fresh = heads
        .flatMap(([head]) => readHead(String(head)).additions)
        .filter(({ metric, partition: [schema, day] }) => schemas.includes(schema) && metrics.includes(metric) && from <= day && day <= to)
        .map(({ metric, reports, partition: [schema, day, segment] }) => rowOf([schema, metric, day, segment, reports]));
      return { rows: [...folded.map(rowOf), ...fresh], firstDay };
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
  } finally {
    await database.close();
  }
}

/**
 * Reads rows of a store. They hold what is folded; in a database, everything that is acknowledged. If the first day is not kept as a day,
 * there are none: the question will be refused, for free, and how long that takes must not depend on rows.
 */
export const readParticipation = async (source: TallySource, wanted: WantedRows): Promise<Participation> =>
  'file' in source ? readFile(source, wanted) : readDatabase(source, wanted);
