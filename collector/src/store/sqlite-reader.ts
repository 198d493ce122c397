/** Reads the tallies of the embedded store, on a read-only connection of its own. Any thread may have one. */

import { DatabaseSync } from 'node:sqlite';
import { addCells, cellsIn } from './cell-codec.ts';
import { monthStart, nextMonth, wholeMonths } from './months.ts';
import type { Borders } from './sqlite-retention.ts';
import { TIMEOUT } from './sqlite-schema.ts';
import type { DailyOnes, Evidence, MetricTotal, Selection, Tally, TallyReader } from './store.ts';

const NO_DAY = 2 ** 31;

/** A selection, and the days of which rows count. */
interface Wanted extends Selection {
  readonly days: readonly [from: number, to: number];
  readonly rolled: number;
}

/** Months count as a whole or not at all, and days that are no longer kept do not count. */
function wantedOf(database: DatabaseSync, selection: Selection): Wanted {
  const { rolled, kept } = database.prepare('SELECT rolled, kept FROM border').get() as unknown as Borders;
  const { from = 0, to = NO_DAY } = selection;
  return { ...selection, rolled, days: wholeMonths(Math.max(kept, from), Math.min(NO_DAY, to), rolled) };
}

/** The part of a query that all tables of a metric share. */
const ofMetric = ({ schemas, days: [from, to] }: Wanted): string =>
  `metric IN (SELECT n FROM metric WHERE schema IN (${schemas.map(() => '?').join()}) AND name = ?) AND day >= ${from} AND day <= ${to}`;

function readTallies(database: DatabaseSync, selection: Wanted): Omit<Evidence, 'ones'> {
  const { schemas, metric, segment = {} } = selection;
  const wanted = Object.entries(segment);
  const parts = wanted.map(() => 'json_extract(json, ?) = ?').join(' AND ');
  const inSegment = parts === '' ? '' : `AND segment IN (SELECT n FROM segment WHERE ${parts})`;
  const one = (table: string): string => `SELECT cohort, day, reports, cells FROM ${table} WHERE ${ofMetric(selection)} ${inSegment}`;
  const parameters = [...schemas, metric, ...wanted.flatMap(([name, value]) => [`$."${name}"`, value])];
  const rows = database.prepare(`${one('tally')} UNION ALL ${one('monthly')}`).iterate(...parameters, ...parameters);
  const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
  let [first, last, total] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const row of rows) {
    const { cohort, day, reports } = row as { cohort: number; day: number; reports: number };
    const encoded = row['cells'] as Uint8Array;
    const tally = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(cellsIn(encoded)) };
    addCells(encoded, tally.cells);
    tally.reports += reports;
    tallies.set(cohort, tally);
    [first, last, total] = [Math.min(first, day), Math.max(last, day), total + reports];
  }
  if (total === 0) return { tallies, reports: 0, from: null, to: null };
  const [from, to] = [first < selection.rolled ? monthStart(first) : first, last < selection.rolled ? nextMonth(last) - 1 : last];
  return { tallies: tallies satisfies Map<number, Tally>, reports: total, from, to };
}

function readOnes(database: DatabaseSync, selection: Wanted): readonly DailyOnes[] {
  const sql = `SELECT day, ones, sum(reports) AS reports FROM ones WHERE ${ofMetric(selection)} GROUP BY day, ones ORDER BY day, ones`;
  const days = new Map<number, Map<number, number>>();
  for (const row of database.prepare(sql).iterate(...selection.schemas, selection.metric)) {
    const { day, ones, reports } = row as { day: number; ones: number; reports: number };
    const known = days.get(day) ?? new Map<number, number>();
    days.set(day, known.set(ones, reports));
  }
  return [...days].map(([day, reports]) => ({ day, reports }));
}

const TOTALS =
  'SELECT schema, name AS metric, reports, first AS "from", last AS "to", version FROM metric WHERE reports > 0 ORDER BY schema, name';

/** Opens the tallies in a store's file. @throws {Error} when the file can't be opened */
export function openSqliteTallies(file: string): TallyReader {
  const database = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  return {
    totals: async () => database.prepare(TOTALS).all() as unknown as readonly MetricTotal[],
    read: async (selection) => {
      database.exec('BEGIN'); // one snapshot for both tables
      try {
        const wanted = wantedOf(database, selection);
        return { ...readTallies(database, wanted), ones: readOnes(database, wanted) };
      } finally {
        database.exec('COMMIT');
      }
    },
    close: async () => database.close(),
  };
}
