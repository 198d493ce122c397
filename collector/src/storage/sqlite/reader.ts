/** Reads the tallies of the embedded store, on a read-only connection of its own. Any thread may have one. */

import { DatabaseSync } from 'node:sqlite';
import { wholeMonths } from '../../base/days.ts';
import type { DailyOnes, Evidence } from '../../estimation/tally.ts';
import { TIMEOUT } from '../files/database.ts';
import type { Borders } from '../retention.ts';
import type { DayRange, MetricTotal, PartsReader, Selection } from '../store.ts';
import { byDay, type DayRow, DaySums, exclusionOf, partsOf, RangeSums } from '../tallying/sums.ts';

const NO_DAY = 2 ** 31;

/** A selection, and the days of which rows count. */
interface Wanted extends Selection {
  readonly segment: NonNullable<Selection['segment']>;
  readonly days: readonly [from: number, to: number];
  readonly rolled: number;
}

/** Months count as a whole or not at all, and days that are no longer kept do not count. */
function wantedOf(database: DatabaseSync, selection: Selection): Wanted {
  const { rolled, kept } = database.prepare('SELECT rolled, kept FROM border').get() as unknown as Borders;
  const { from = 0, to = NO_DAY, segment = {} } = selection;
  return { ...selection, segment, rolled, days: wholeMonths(Math.max(kept, from), Math.min(NO_DAY, to), rolled) };
}

/** The part of a query that all tables of a metric share. */
const ofMetric = ({ schemas, days: [from, to] }: Wanted): string =>
  `metric IN (SELECT n FROM metric WHERE schema IN (${schemas.map(() => '?').join()}) AND name = ?) AND day >= ${from} AND day <= ${to}`;

/** The tallies of one day and segment: those of a list of cohorts, as text, and their encoded cells, one after the other, as hex digits. */
type TextRow = readonly [day: number, cohorts: string, reports: string, lengths: string, cells: string];

const numbersOf = (text: string): readonly number[] => text.split(',').map(Number);

/**
 * Reads the tallies of each day and segment as one row. A row of its own for each tally costs five times as long, nearly all of it in passing rows from
 * SQLite to JavaScript.
 */
function* readRows(database: DatabaseSync, table: 'tally' | 'monthly', selection: Wanted): Generator<DayRow> {
  const { schemas, metric, segment } = selection;
  const wanted = Object.entries(segment);
  const parts = wanted.map(() => 'json_extract(json, ?) = ?').join(' AND ');
  const inSegment = parts === '' ? '' : `AND segment IN (SELECT n FROM segment WHERE ${parts})`;
  const parameters = [...schemas, metric, ...wanted.flatMap(([name, value]) => [`$."${name}"`, value])];
  const columns = `day, group_concat(cohort), group_concat(reports), group_concat(length(cells)), group_concat(hex(cells), '')`;
  const rows = database.prepare(
    `SELECT ${columns} FROM ${table} WHERE ${ofMetric(selection)} ${inSegment} GROUP BY day, segment ORDER BY day`,
  );
  rows.setReturnArrays(true);
  for (const row of rows.iterate(...parameters) as unknown as Iterable<TextRow>) {
    const [day, cohorts, reports, lengths, cells] = row;
    yield {
      day,
      cohorts: numbersOf(cohorts),
      reports: numbersOf(reports),
      lengths: numbersOf(lengths),
      cells: Buffer.from(cells, 'hex'),
    };
  }
}

/** Reads the tallies of each day as one row of all segments. Only days whose sums are not kept are read from the disk. */
function* readDaySums(database: DatabaseSync, sums: DaySums, selection: Wanted): Generator<DayRow> {
  const { schemas, metric } = selection;
  const name = JSON.stringify([schemas, metric]);
  const sql = `SELECT day, sum(reports) AS reports FROM total WHERE ${ofMetric(selection)} GROUP BY day ORDER BY day`;
  const totals = database.prepare(sql).all(...schemas, metric) as unknown as readonly { day: number; reports: number }[];
  for (let i = 0; i < totals.length; ) {
    const { day, reports } = totals[i] as (typeof totals)[number];
    const kept = sums.find(name, day, reports);
    if (kept !== undefined) {
      yield { ...kept, day };
      i++;
      continue;
    }
    // Reads all days up to the next one that is kept.
    const next = totals.findIndex((other, at) => at > i && sums.find(name, other.day, other.reports) !== undefined);
    i = next < 0 ? totals.length : next;
    const days = [day, totals[i - 1]?.day ?? day] as const;
    for (const [current, read] of byDay(readRows(database, 'tally', { ...selection, days }))) {
      const packed = read.packed();
      sums.keep(name, current, read.reports, packed);
      yield { ...packed, day: current };
    }
  }
}

/** Reads the tallies of a selection, months first, in the order of their days. Days that retention is moving to their months are not kept. */
function* readDays(database: DatabaseSync, sums: DaySums, selection: Wanted): Generator<DayRow> {
  yield* readRows(database, 'monthly', selection);
  const { days, rolled, segment } = selection;
  const [from, to] = days;
  if (Object.keys(segment).length > 0) return yield* readRows(database, 'tally', selection);
  if (from < rolled) yield* readRows(database, 'tally', { ...selection, days: [from, Math.min(to, rolled - 1)] });
  yield* readDaySums(database, sums, { ...selection, days: [Math.max(from, rolled), to] });
}

function readTallies(database: DatabaseSync, days: DaySums, selection: Wanted): Omit<Evidence, 'ones'> {
  const sums = new RangeSums(selection);
  for (const row of readDays(database, days, selection)) sums.add(row);
  return sums.evidence();
}

/** Reads the parts of a selection in one pass. They follow each other. */
function readParts(database: DatabaseSync, days: DaySums, selection: Selection, parts: readonly DayRange[]): readonly Evidence[] {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const whole = wantedOf(database, { ...selection, from: first.from, to: last.to });
  return partsOf(readDays(database, days, whole), parts, whole);
}

function readOnes(database: DatabaseSync, selection: Wanted): readonly DailyOnes[] {
  const sql = `SELECT day, ones, sum(reports) AS reports FROM ones WHERE ${ofMetric(selection)} GROUP BY day, ones ORDER BY day, ones`;
  const days = new Map<number, Map<number, number>>();
  const isExcluded = exclusionOf(selection);
  for (const row of database.prepare(sql).iterate(...selection.schemas, selection.metric)) {
    const { day, ones, reports } = row as { day: number; ones: number; reports: number };
    if (isExcluded(day)) continue;
    const known = days.get(day) ?? new Map<number, number>();
    days.set(day, known.set(ones, reports));
  }
  return [...days].map(([day, reports]) => ({ day, reports }));
}

const TOTALS =
  'SELECT schema, name AS metric, reports, first AS "from", last AS "to", version FROM metric WHERE reports > 0 ORDER BY schema, name';

/**
 * Opens the tallies in a store's file.
 *
 * @param days where the sums of whole days are kept between reads
 * @throws {Error} when the file can't be opened
 */
export function openSqliteTallies(file: string, days: DaySums = new DaySums()): PartsReader {
  const database = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  /** Reads in one snapshot. */
  const snapshot = <T>(read: () => T): T => {
    database.exec('BEGIN');
    try {
      return read();
    } finally {
      database.exec('COMMIT');
    }
  };
  return {
    totals: async () => database.prepare(TOTALS).all() as unknown as readonly MetricTotal[],
    read: async (selection) =>
      snapshot(() => {
        const wanted = wantedOf(database, selection);
        return { ...readTallies(database, days, wanted), ones: readOnes(database, wanted) };
      }),
    readParts: async (selection, parts) => snapshot(() => readParts(database, days, selection, parts)),
    close: async () => database.close(),
  };
}
