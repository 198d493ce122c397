/** Writes sums to the tallies of the embedded store, with the totals of each metric beside them, and lets old days go. */

import type { DatabaseSync } from 'node:sqlite';
import { monthStart } from '../../base/days.ts';
import type { Tally } from '../../estimation/tally.ts';
import { appOf, createGrowthWriter, type Growth, ROW_BYTES } from '../quota.ts';
import { type Borders, reachedOf } from '../retention.ts';
import { addCells, cellsIn, encodeCells } from '../tallying/cell-codec.ts';
import type { Delta } from '../tallying/recent-writes.ts';

type Grown = Pick<Growth, 'rows' | 'bytes'>;

/** Adds sums to the tallies, and returns by how much the tables grew. Runs inside a transaction. */
export function createFold(database: DatabaseSync): (deltas: readonly Delta[]) => readonly Growth[] {
  const nextChange = database.prepare('UPDATE change SET n = n + 1 RETURNING n');
  const putMetric = database.prepare(
    `INSERT INTO metric (schema, name, reports, first, last, version) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET reports = reports + excluded.reports,
        first = min(first, excluded.first), last = max(last, excluded.last), version = excluded.version
      RETURNING n`,
  );
  const putTotal = database.prepare(
    'INSERT INTO total (metric, day, reports) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET reports = reports + excluded.reports',
  );
  const findSegment = database.prepare('SELECT n FROM segment WHERE json = ?');
  const putSegment = database.prepare('INSERT INTO segment (json) VALUES (?) RETURNING n');
  const countOnes = database.prepare(
    'INSERT INTO ones (metric, day, ones, reports) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reports = reports + excluded.reports',
  );
  const find = database.prepare('SELECT rowid AS n, reports, cells FROM tally WHERE metric = ? AND day = ? AND segment = ? AND cohort = ?');
  const insert = database.prepare('INSERT INTO tally (metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?)');
  const update = database.prepare('UPDATE tally SET reports = ?, cells = ? WHERE rowid = ?');

  /** Adds a tally to its row. */
  const add = (key: readonly [metric: number, day: number, segment: number, cohort: number], { reports, cells }: Tally): Grown => {
    const row = find.get(...key);
    if (row === undefined) {
      const encoded = encodeCells(cells);
      insert.run(...key, reports, encoded);
      return { rows: 1, bytes: ROW_BYTES + encoded.length };
    }
    const former = row['cells'] as Uint8Array;
    const sums = cells.slice(); // if the transaction fails, these sums are folded again
    addCells(former, sums);
    const encoded = encodeCells(sums);
    update.run(reports + Number(row['reports']), encoded, Number(row['n']));
    return { rows: 0, bytes: encoded.length - former.length };
  };

  return (deltas) => {
    const change = Number(nextChange.get()?.['n']);
    const growth = new Map<string, Growth>();
    for (const { partition, metric: name, folder } of deltas) {
      const [schema, day, json] = partition;
      const tallies = folder.tallies();
      const reports = [...tallies.values()].reduce((sum, tally) => sum + tally.reports, 0);
      const metric = Number(putMetric.get(schema, name, reports, day, day, change)?.['n']);
      const segment = Number((findSegment.get(json) ?? putSegment.get(json))?.['n']);
      putTotal.run(metric, day, reports);
      const app = appOf(schema);
      let { rows, bytes } = growth.get(`${app}\n${day}`) ?? { rows: 0, bytes: 0 };
      for (const [cohort, tally] of tallies) {
        try {
          const grown = add([metric, day, segment, cohort], tally);
          rows += grown.rows;
          bytes += grown.bytes;
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          throw new RangeError(`tally ${schema} ${name} ${day} ${json} ${cohort}: ${error.message}`);
        }
      }
      for (const [ones, count] of folder.ones()) countOnes.run(metric, day, ones, count);
      growth.set(`${app}\n${day}`, { app, day, rows, bytes });
    }
    return [...growth.values()];
  };
}

// Retention in the embedded store: days that are old enough are added up to months, and what is older still is deleted. One transaction
// moves the borders, which is all that readers see: they count the months before `rolled` only as a whole, and nothing before `kept`. The
// rows follow in slices, so that batches are committed in between, and a stop in the middle loses nothing.

/** Result of a slice. */
export interface Slice {
  readonly isDone: boolean;
  readonly growth: readonly Growth[];
}

interface Row {
  readonly n: number;
  readonly day: number;
  readonly segment: number;
  readonly cohort: number;
  readonly reports: number;
  readonly cells: Uint8Array;
}

/** Rows of a slice. A commit waits for one slice at most, which takes some 10 milliseconds. */
const SLICE = 500;

/** The newest day that has been reached, from which the collector counts the age of tallies. */
export function reachedDay(database: DatabaseSync): number {
  const rows = database.prepare('SELECT DISTINCT day FROM room WHERE rows > 0 ORDER BY day DESC').all();
  return reachedOf(rows.map(({ day }) => Number(day)));
}

/** Retention of one database. Its functions run inside a transaction of the caller's. */
export interface Retention {
  /** Moves the borders forward. Returns them as they are then. */
  readonly move: (to: Borders) => Borders;
  /** Deletes or adds up some of the rows that lie before the borders. */
  readonly follow: () => Slice;
}

/** The last day of a metric without reports is before all others, and its first after them, so that the next fold sets both. */
const EMPTY = { first: 2 ** 31, last: -1 };

export function createRetention(database: DatabaseSync): Retention {
  const borders = (): Borders => database.prepare('SELECT rolled, kept FROM border').get() as unknown as Borders;
  const writeGrowth = createGrowthWriter(database);
  const metricWith = (table: string) =>
    database.prepare(`SELECT n, schema FROM metric WHERE EXISTS (SELECT 1 FROM ${table} WHERE metric = metric.n AND day < ?) LIMIT 1`);
  const rowsOf = (table: string) =>
    database.prepare(
      `SELECT rowid AS n, day, segment, cohort, reports, cells FROM ${table} WHERE metric = ? AND day < ? ORDER BY day LIMIT ${SLICE}`,
    );
  const tables = ['tally', 'monthly'].map((table) => {
    const drop = database.prepare(`DELETE FROM ${table} WHERE rowid = ?`);
    return { metricWith: metricWith(table), rowsOf: rowsOf(table), drop };
  });
  const findMonth = database.prepare(
    'SELECT rowid AS n, reports, cells FROM monthly WHERE metric = ? AND day = ? AND segment = ? AND cohort = ?',
  );
  const putMonth = database.prepare('INSERT INTO monthly (metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?)');
  const addToMonth = database.prepare('UPDATE monthly SET reports = ?, cells = ? WHERE rowid = ?');

  /** Adds a day's row to its month, and returns by how much the month grew. */
  const roll = (metric: number, { day, segment, cohort, reports, cells }: Row): Pick<Growth, 'rows' | 'bytes'> => {
    const key = [metric, monthStart(day), segment, cohort] as const;
    const month = findMonth.get(...key) as unknown as Row | undefined;
    if (month === undefined) {
      putMonth.run(...key, reports, cells);
      return { rows: 1, bytes: ROW_BYTES + cells.length };
    }
    const sums = new Float64Array(cellsIn(month.cells));
    addCells(month.cells, sums);
    addCells(cells, sums);
    const encoded = encodeCells(sums);
    addToMonth.run(month.reports + reports, encoded, month.n);
    return { rows: 0, bytes: encoded.length - month.cells.length };
  };

  return {
    move: (to) => {
      const from = borders();
      const next = { rolled: Math.max(from.rolled, to.rolled), kept: Math.max(from.kept, to.kept) };
      if (next.rolled === from.rolled && next.kept === from.kept) return from;
      database.prepare('UPDATE border SET rolled = ?, kept = ?').run(next.rolled, next.kept);
      database.prepare('UPDATE closed SET before = max(before, ?, ?)').run(next.rolled, next.kept);
      database.exec('UPDATE change SET n = n + 1');
      const touched = Math.max(next.rolled, next.kept);
      database.prepare('UPDATE metric SET version = (SELECT n FROM change) WHERE first < ?').run(touched);
      for (const table of ['ones', 'total']) database.prepare(`DELETE FROM ${table} WHERE day < ?`).run(next.kept);
      database
        .prepare(
          `UPDATE metric SET (reports, first, last) =
            (SELECT coalesce(sum(reports), 0), coalesce(min(day), ?), coalesce(max(day), ?) FROM total WHERE metric = n) WHERE first < ?`,
        )
        .run(EMPTY.first, EMPTY.last, next.kept);
      return next;
    },
    follow: () => {
      const { rolled, kept } = borders();
      const growth: Growth[] = [];
      const work = [
        ...tables.map((table) => ({ ...table, before: kept, isRoll: false })),
        { ...(tables[0] as (typeof tables)[number]), before: rolled, isRoll: true },
      ];
      const found = work.map((each) => [each, each.metricWith.get(each.before)] as const).find(([, metric]) => metric !== undefined);
      if (found === undefined) return { isDone: true, growth };
      const [{ rowsOf, drop, before, isRoll }, metric] = found;
      const [number, app] = [Number(metric?.['n']), appOf(String(metric?.['schema']))];
      for (const row of rowsOf.all(number, before) as unknown as readonly Row[]) {
        drop.run(row.n);
        growth.push({ app, day: row.day, rows: -1, bytes: -ROW_BYTES - row.cells.length });
        if (isRoll) growth.push({ app, day: monthStart(row.day), ...roll(number, row) });
      }
      writeGrowth(growth);
      return { isDone: false, growth };
    },
  };
}
