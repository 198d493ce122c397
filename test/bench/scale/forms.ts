/**
 * What a flush of 1,000 batches does beside inserting ids: nothing, appending its sums in several forms, or adding them to counters in place.
 * The sums are 100 KB, those of 1,280 tallies. The ids, the transaction and the appended rows are the store's own code, and all forms send
 * their parameters as it does, in the database's binary format.
 */

import { randomBytes } from 'node:crypto';
import { byteas, integers, smallints, texts } from '#collector/store/postgres/binary.ts';
import type { Query } from '#collector/store/postgres/database.ts';
import { appendDeltas } from '#collector/store/postgres/delta.ts';

const [BYTES, TALLIES, METRICS] = [102_400, 1_280, 10];
const CELL = 4;

/** A form. */
export interface Form {
  readonly name: string;
  /** Statements that create its table. */
  readonly tables: readonly string[];
  /** Prepares a flush, and returns what it does after the ids. `last` runs its last statement, and commits. */
  readonly prepare: () => (query: Query, last: Query) => Promise<unknown>;
}

const times = <T>(count: number, value: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => value(i));
const counts = (count: number): Buffer => Buffer.from(Int32Array.from({ length: count }, (_, i) => i % 7).buffer);

/** Appends the sums as so many rows of deltas. */
const deltas = (name: string, count: number): Form => ({
  name,
  tables: [],
  prepare: () => {
    const rows = times(count, (i) => ({ shard: i, head: 'x'.repeat(500), sums: randomBytes(BYTES / count) }));
    return (_, last) => appendDeltas(last, rows);
  },
});

const COLUMNS = 'shard smallint, metric text COLLATE "C", schema text COLLATE "C", day integer, segment text COLLATE "C", cohort integer';
const KEY = 'shard, metric, schema, day, segment, cohort';
const KEYS = '$1::smallint[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[]';

/** The keys of so many tallies. */
const keysOf = (count: number): readonly Buffer[] => [
  smallints(count, (i) => i % METRICS),
  texts(times(count, (i) => `metric ${i % METRICS}`)),
  texts(times(count, () => 'app/1/0123456789abcdef')),
  integers(count, () => 1),
  texts(times(count, () => '{}')),
  integers(count, (i) => i),
];

/** Appends each tally as a row. */
const tallies: Form = {
  name: 'and 1,280 rows, one for each tally',
  tables: [`CREATE TABLE tally_delta (${COLUMNS}, reports integer, cells bytea)`],
  prepare: () => {
    const cells = byteas(times(TALLIES, () => randomBytes(BYTES / TALLIES)));
    const values = [...keysOf(TALLIES), integers(TALLIES, () => 8), cells];
    return (_, last) => last(`INSERT INTO tally_delta SELECT * FROM unnest(${KEYS}, $7::integer[], $8::bytea[])`, values);
  },
};

/** A table of counters in place. Half of a page is left free, so that most updates need no new entry in the index. */
const table = (name: string, cells: string, rows: number): string => `
  CREATE TABLE ${name} (${COLUMNS}, reports integer, cells ${cells}, PRIMARY KEY (${KEY})) WITH (fillfactor = 50);
  INSERT INTO ${name} SELECT i % ${METRICS}, 'metric ' || i % ${METRICS}, 'app/1/0123456789abcdef', 1, '{}', i, 0,
    ${cells === 'bytea' ? `decode(repeat('00', ${BYTES / rows}), 'hex')` : `array_fill(0, ARRAY[${BYTES / rows / CELL}])`}
    FROM generate_series(0, ${rows - 1}) AS i`;

/** Counters of so many rows. The database adds the cells of each to what is there. */
const added = (name: string, table_: string, rows: number): Form => ({
  name,
  tables: [table(table_, 'integer[]', rows)],
  prepare: () => {
    const cells = texts(times(rows, () => `{${times(BYTES / rows / CELL, (i) => i % 7).join()}}`));
    const values = [...keysOf(rows), integers(rows, () => 8), cells];
    const sql = `
      INSERT INTO ${table_} SELECT ${KEY}, reports, cells::integer[]
        FROM unnest(${KEYS}, $7::integer[], $8::text[]) AS fresh (${KEY}, reports, cells)
        ON CONFLICT (${KEY}) DO UPDATE SET reports = ${table_}.reports + excluded.reports,
          cells = ARRAY(SELECT a + b FROM unnest(${table_}.cells, excluded.cells) AS pair (a, b))`;
    return (_, last) => last(sql, values);
  },
});

/** Counters of so many rows that hold packed cells. The collector reads them under their locks, adds, and writes them back. */
const packed = (name: string, table_: string, rows: number): Form => ({
  name,
  tables: [table(table_, 'bytea', rows), `ALTER TABLE ${table_} ALTER COLUMN cells SET STORAGE EXTERNAL`],
  prepare: () => {
    const [keys, fresh] = [keysOf(rows), times(rows, () => counts(BYTES / rows / CELL))];
    const read = `SELECT cells FROM ${table_} JOIN unnest(${KEYS}) AS wanted (${KEY}) USING (${KEY}) ORDER BY cohort FOR UPDATE OF ${table_}`;
    const write = `
      UPDATE ${table_} SET reports = ${table_}.reports + 8, cells = sums.cells
        FROM unnest(${KEYS}, $7::bytea[]) AS sums (${KEY}, cells)
        WHERE ${KEY.split(', ')
          .map((column) => `${table_}.${column} = sums.${column}`)
          .join(' AND ')}`;
    return async (query, last) => {
      const found = await query(read, keys);
      const sums = found.map(([cells], i) => {
        const sum = new Int32Array(Uint8Array.from(cells as Buffer).buffer);
        const more = fresh[i] as Buffer;
        for (let cell = 0; cell < sum.length; cell++) sum[cell] = (sum[cell] as number) + more.readInt32LE(CELL * cell);
        return new Uint8Array(sum.buffer);
      });
      return last(write, [...keys, byteas(sums)]);
    };
  },
});

/** The form that the store has, and those that count in place. */
export const SHIPPED = "and ten rows, one for each metric's shard (as shipped)";
export const IN_PLACE = [
  'and 1,280 counters in place, which the database adds to',
  'and ten counters in place, which the database adds to',
  'and ten packed counters in place, read, added and written',
] as const;

export const FORMS: readonly Form[] = [
  { name: 'ids only', tables: [], prepare: () => async () => undefined },
  deltas('and one row with all sums', 1),
  deltas(SHIPPED, METRICS),
  tallies,
  added(IN_PLACE[0], 'counter', TALLIES),
  added(IN_PLACE[1], 'wide_counter', METRICS),
  packed(IN_PLACE[2], 'packed_counter', METRICS),
];
