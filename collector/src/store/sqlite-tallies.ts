/** Writes sums to the tallies of the embedded store. */

import type { DatabaseSync } from 'node:sqlite';
import { bytesOf } from './sqlite-ids.ts';
import type { Shapes } from './store.ts';
import { transaction } from './transaction.ts';
import type { Delta } from './unfolded.ts';

function sumsOf(blob: Uint8Array, cells: number, key: readonly unknown[]): Float64Array {
  if (blob.length !== 8 * cells) throw new RangeError(`tally ${key.join(' ')}: expected ${cells} cells, got ${blob.length} bytes`);
  return new Float64Array(blob.slice().buffer);
}

/** Adds sums to the tallies. */
export function createFold(database: DatabaseSync): (delta: Delta) => void {
  const where = 'WHERE schema = ? AND metric = ? AND day = ? AND segment = ? AND cohort = ?';
  const find = database.prepare(`SELECT reports, cells FROM tally ${where}`);
  const put = database.prepare(
    'INSERT OR REPLACE INTO tally (schema, metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const countOnes = database.prepare(
    `INSERT INTO ones (schema, metric, day, ones, reports) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET reports = reports + excluded.reports`,
  );
  return ({ partition: [schema, day, segment], metric, folder }) => {
    for (const [cohort, { reports, cells }] of folder.tallies()) {
      const key = [schema, metric, day, segment, cohort] as const;
      const row = find.get(...key);
      const sums = row === undefined ? cells : sumsOf(row['cells'] as Uint8Array, cells.length, key);
      if (row !== undefined) for (const [cell, count] of cells.entries()) sums[cell] = (sums[cell] as number) + count;
      put.run(...key, reports + Number(row?.['reports'] ?? 0), bytesOf(sums));
    }
    for (const [ones, reports] of folder.ones()) countOnes.run(schema, metric, day, ones, reports);
  };
}

/**
 * Stores the shapes that the indices in the log refer to, and returns all stored shapes. A schema may be withdrawn before the log of its
 * batches is added up.
 */
export function keepShapes(database: DatabaseSync, published: Shapes): Shapes {
  const put = database.prepare('INSERT OR REPLACE INTO shape (schema, metrics) VALUES (?, ?)');
  transaction(database, () => {
    for (const [schema, metrics] of published) put.run(schema, JSON.stringify(metrics));
  });
  const rows = database.prepare('SELECT schema, metrics FROM shape').all();
  return new Map(rows.map(({ schema, metrics }) => [schema as string, JSON.parse(metrics as string)]));
}
