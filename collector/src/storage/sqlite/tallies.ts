/** Writes sums to the tallies of the embedded store, and keeps the totals of each metric beside them. */

import type { DatabaseSync } from 'node:sqlite';
import type { Tally } from '../../estimation/tally.ts';
import { appOf, type Growth, ROW_BYTES } from '../room.ts';
import { addCells, encodeCells } from '../tallying/cell-codec.ts';
import type { Delta } from '../tallying/unfolded.ts';

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
