/** Reads the tallies of the embedded store, on a read-only connection of its own. Any thread may have one. */

import { DatabaseSync } from 'node:sqlite';
import { addCells, cellsIn } from './cell-codec.ts';
import { monthStart, nextMonth, wholeMonths } from './months.ts';
import type { Borders } from './sqlite-retention.ts';
import { TIMEOUT } from './sqlite-schema.ts';
import type { DailyOnes, DayRange, Evidence, MetricTotal, PartsReader, Selection, Tally } from './store.ts';

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

/** The tallies of one day and segment: those of a list of cohorts, as text, and their encoded cells, one after the other, as hex digits. */
type DayRow = readonly [day: number, cohorts: string, reports: string, lengths: string, cells: string];

/**
 * Reads the tallies of each day and segment as one row. A row of its own for each tally costs five times as long, nearly all of it in passing rows from
 * SQLite to JavaScript.
 */
function* readDays(database: DatabaseSync, selection: Wanted): Generator<DayRow> {
  const { schemas, metric, segment = {} } = selection;
  const wanted = Object.entries(segment);
  const parts = wanted.map(() => 'json_extract(json, ?) = ?').join(' AND ');
  const inSegment = parts === '' ? '' : `AND segment IN (SELECT n FROM segment WHERE ${parts})`;
  const parameters = [...schemas, metric, ...wanted.flatMap(([name, value]) => [`$."${name}"`, value])];
  const columns = `day, group_concat(cohort), group_concat(reports), group_concat(length(cells)), group_concat(hex(cells), '')`;
  for (const table of ['monthly', 'tally']) {
    const rows = database.prepare(
      `SELECT ${columns} FROM ${table} WHERE ${ofMetric(selection)} ${inSegment} GROUP BY day, segment ORDER BY day`,
    );
    rows.setReturnArrays(true);
    yield* rows.iterate(...parameters) as unknown as Iterable<DayRow>;
  }
}

/** Sums of tallies. */
class Sums {
  readonly #tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #total = 0;

  add([day, cohorts, reports, lengths, hex]: DayRow): void {
    const bytes = Buffer.from(hex, 'hex');
    const [counts, sizes] = [reports.split(','), lengths.split(',')];
    let at = 0;
    for (const [i, text] of cohorts.split(',').entries()) {
      const end = at + Number(sizes[i]);
      const cohort = Number(text);
      let tally = this.#tallies.get(cohort);
      if (tally === undefined) {
        tally = { reports: 0, cells: new Float64Array(cellsIn(bytes, at, end)) };
        this.#tallies.set(cohort, tally);
      }
      addCells(bytes, tally.cells, at, end);
      at = end;
      tally.reports += Number(counts[i]);
      this.#total += Number(counts[i]);
    }
    this.#first = Math.min(this.#first, day);
    this.#last = Math.max(this.#last, day);
  }

  /** The sums, where days before `rolled` are kept as months. */
  evidence(rolled: number): Omit<Evidence, 'ones'> {
    const tallies = this.#tallies satisfies Map<number, Tally>;
    if (this.#total === 0) return { tallies, reports: 0, from: null, to: null };
    const [first, last] = [this.#first, this.#last];
    const [from, to] = [first < rolled ? monthStart(first) : first, last < rolled ? nextMonth(last) - 1 : last];
    return { tallies, reports: this.#total, from, to };
  }
}

function readTallies(database: DatabaseSync, selection: Wanted): Omit<Evidence, 'ones'> {
  const sums = new Sums();
  for (const row of readDays(database, selection)) sums.add(row);
  return sums.evidence(selection.rolled);
}

/** Reads the parts of a selection in one pass. They follow each other. */
function readParts(database: DatabaseSync, selection: Selection, parts: readonly DayRange[]): readonly Evidence[] {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const whole = wantedOf(database, { ...selection, from: first.from, to: last.to });
  const wanted = parts.map(({ from, to }) => ({ days: wholeMonths(from, to, whole.rolled), sums: new Sums() }));
  let at = 0;
  for (const row of readDays(database, whole)) {
    if (row[0] < (wanted[at]?.days[0] ?? 0)) at = 0; // the days after the months
    while (at < wanted.length - 1 && row[0] > (wanted[at]?.days[1] ?? 0)) at++;
    const part = wanted[at];
    if (part !== undefined && part.days[0] <= row[0] && row[0] <= part.days[1]) part.sums.add(row);
  }
  return wanted.map(({ sums }) => ({ ...sums.evidence(whole.rolled), ones: [] }));
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
export function openSqliteTallies(file: string): PartsReader {
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
        return { ...readTallies(database, wanted), ones: readOnes(database, wanted) };
      }),
    readParts: async (selection, parts) => snapshot(() => readParts(database, selection, parts)),
    close: async () => database.close(),
  };
}
