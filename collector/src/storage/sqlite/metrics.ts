/**
 * The migration to version 5 of the embedded store: metrics and segments get numbers, tallies short rows, and each metric the totals of its
 * days. A row of 128 cells took 4,681 bytes before, because SQLite keeps long rows of tables without a rowid on pages of their own.
 */

import type { DatabaseSync } from 'node:sqlite';
import { encodeCells } from '../tallying/cell-codec.ts';

const countsOf = (blob: unknown): Float64Array => new Float64Array((blob as Uint8Array).slice().buffer);

/** Gives metrics and segments numbers, and rewrites each tally. */
export function numberMetrics(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE change (n INTEGER NOT NULL);
    INSERT INTO change VALUES (1);
    CREATE TABLE metric (
      n INTEGER PRIMARY KEY, schema TEXT NOT NULL, name TEXT NOT NULL,
      reports INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, version INTEGER NOT NULL,
      UNIQUE (schema, name)
    );
    CREATE TABLE segment (n INTEGER PRIMARY KEY, json TEXT NOT NULL UNIQUE);
    CREATE TABLE total (
      metric INTEGER NOT NULL, day INTEGER NOT NULL, reports INTEGER NOT NULL,
      PRIMARY KEY (metric, day)
    ) WITHOUT ROWID;
    ALTER TABLE tally RENAME TO former;
    ALTER TABLE ones RENAME TO former_ones;
    CREATE TABLE tally (
      metric INTEGER NOT NULL, day INTEGER NOT NULL, segment INTEGER NOT NULL, cohort INTEGER NOT NULL,
      reports INTEGER NOT NULL, cells BLOB NOT NULL
    );
    CREATE TABLE ones (
      metric INTEGER NOT NULL, day INTEGER NOT NULL, ones INTEGER NOT NULL, reports INTEGER NOT NULL,
      PRIMARY KEY (metric, day, ones)
    ) WITHOUT ROWID;
    INSERT INTO metric (schema, name, reports, first, last, version)
      SELECT schema, metric, sum(reports), min(day), max(day), 1 FROM former GROUP BY schema, metric;
    INSERT INTO segment (json) SELECT DISTINCT segment FROM former;
    INSERT INTO total SELECT n, day, sum(former.reports) FROM former
      JOIN metric ON metric.schema = former.schema AND name = former.metric GROUP BY n, day;
    INSERT INTO ones SELECT n, day, ones, former_ones.reports FROM former_ones
      JOIN metric ON metric.schema = former_ones.schema AND name = former_ones.metric;
  `);
  const insert = database.prepare('INSERT INTO tally (metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?)');
  const rows = database.prepare(`
    SELECT metric.n AS metric, day, segment.n AS segment, cohort, former.reports AS reports, cells FROM former
      JOIN metric ON metric.schema = former.schema AND name = former.metric JOIN segment ON json = former.segment
  `);
  for (const { metric, day, segment, cohort, reports, cells } of rows.iterate())
    insert.run(Number(metric), Number(day), Number(segment), Number(cohort), Number(reports), encodeCells(countsOf(cells)));
  database.exec(`
    CREATE UNIQUE INDEX tally_key ON tally (metric, day, segment, cohort);
    DROP TABLE former;
    DROP TABLE former_ones;
  `);
}
