/**
 * What a flush does beside inserting ids: nothing, appending its sums in several forms, or adding them to counters in place. There are ten
 * metrics of 128 cohorts, and each batch is of a random cohort: 1,000 batches touch all 1,280 tallies, 100 KB, and 100 batches about 700. The
 * ids, the transaction and the appended rows are the store's own code, and all forms send their parameters as it does, in the database's
 * binary format.
 */

import { randomBytes, randomInt } from 'node:crypto';
import type { Query } from '#collector/storage/postgres/database.ts';
import { appendDeltas } from '#collector/storage/postgres/fold.ts';
import { byteas, integers, smallints, texts } from '#collector/storage/postgres/packed.ts';

const [METRICS, COHORTS, CELLS] = [10, 128, 20];
const TALLIES = METRICS * COHORTS;
const CELL = 4;

/** A form. */
export interface Form {
  readonly name: string;
  /** Statements that create its table. */
  readonly tables: readonly string[];
  /** Prepares a flush of so many batches, and returns what it does after the ids. `last` runs its last statement, and commits. */
  readonly prepare: (batches: number) => (query: Query, last: Query) => Promise<unknown>;
}

const times = <T>(count: number, value: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => value(i));

/** The cohorts of so many batches, in order: all flushes lock their counters in the same order. */
const cohortsOf = (batches: number): readonly number[] => [...new Set(times(batches, () => randomInt(COHORTS)))].sort((a, b) => a - b);

/** Appends the sums as so many rows of deltas. */
const deltas = (name: string, count: number): Form => ({
  name,
  tables: [],
  prepare: (batches) => {
    const bytes = (METRICS / count) * cohortsOf(batches).length * CELLS * CELL;
    const rows = times(count, (i) => ({ shard: i, head: 'x'.repeat(500), sums: randomBytes(bytes) }));
    return (_, last) => appendDeltas(last, rows);
  },
});

const COLUMNS = 'shard smallint, metric text COLLATE "C", schema text COLLATE "C", day integer, segment text COLLATE "C", cohort integer';
const KEY = 'shard, metric, schema, day, segment, cohort';
const KEYS = '$1::smallint[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[]';

/** The keys of tallies, by their numbers. */
const keysOf = (tallies: readonly number[]): readonly Buffer[] => [
  smallints(tallies.length, (i) => (tallies[i] as number) % METRICS),
  texts(tallies.map((tally) => `metric ${tally % METRICS}`)),
  texts(tallies.map(() => 'app/1/0123456789abcdef')),
  integers(tallies.length, () => 1),
  texts(tallies.map(() => '{}')),
  integers(tallies.length, (i) => tallies[i] as number),
];

/** The numbers of the tallies that so many batches touch: one of each metric and cohort. */
const talliesOf = (batches: number): readonly number[] =>
  cohortsOf(batches).flatMap((cohort) => times(METRICS, (metric) => METRICS * cohort + metric));

/** Appends each tally as a row. */
const rows: Form = {
  name: 'and a row for each tally',
  tables: [`CREATE TABLE tally_delta (${COLUMNS}, reports integer, cells bytea)`],
  prepare: (batches) => {
    const tallies = talliesOf(batches);
    const cells = byteas(tallies.map(() => randomBytes(CELLS * CELL)));
    const values = [...keysOf(tallies), integers(tallies.length, () => 8), cells];
    return (_, last) => last(`INSERT INTO tally_delta SELECT * FROM unnest(${KEYS}, $7::integer[], $8::bytea[])`, values);
  },
};

/** A table of counters in place. Half of a page is left free, so that most updates need no new entry in the index. */
const table = (name: string, cells: string, count: number): string => `
  CREATE TABLE ${name} (${COLUMNS}, reports integer, cells ${cells}, PRIMARY KEY (${KEY})) WITH (fillfactor = 50);
  INSERT INTO ${name} SELECT i % ${METRICS}, 'metric ' || i % ${METRICS}, 'app/1/0123456789abcdef', 1, '{}', i, 0,
    ${cells === 'bytea' ? `decode(repeat('00', ${cellsOf(count) * CELL}), 'hex')` : `array_fill(0, ARRAY[${cellsOf(count)}])`}
    FROM generate_series(0, ${count - 1}) AS i`;

/** The cells of each of so many counters. */
const cellsOf = (count: number): number => (TALLIES / count) * CELLS;

/** So many counters. The database adds the cells of each to what is there. */
const added = (name: string, table_: string, count: number): Form => ({
  name,
  tables: [table(table_, 'integer[]', count)],
  prepare: (batches) => {
    const touched = count === TALLIES ? talliesOf(batches) : times(count, (i) => i);
    const cells = texts(touched.map(() => `{${times(cellsOf(count), (i) => i % 7).join()}}`));
    const values = [...keysOf(touched), integers(touched.length, () => 8), cells];
    const sql = `
      INSERT INTO ${table_} SELECT ${KEY}, reports, cells::integer[]
        FROM unnest(${KEYS}, $7::integer[], $8::text[]) AS fresh (${KEY}, reports, cells)
        ON CONFLICT (${KEY}) DO UPDATE SET reports = ${table_}.reports + excluded.reports,
          cells = ARRAY(SELECT a + b FROM unnest(${table_}.cells, excluded.cells) AS pair (a, b))`;
    return (_, last) => last(sql, values);
  },
});

/** A counter for each metric that holds packed cells. The collector reads them under their locks, adds, and writes them back. */
const packed = (name: string, table_: string): Form => ({
  name,
  tables: [table(table_, 'bytea', METRICS), `ALTER TABLE ${table_} ALTER COLUMN cells SET STORAGE EXTERNAL`],
  prepare: (batches) => {
    const [keys, cohorts] = [keysOf(times(METRICS, (i) => i)), cohortsOf(batches)];
    const read = `SELECT cells FROM ${table_} JOIN unnest(${KEYS}) AS wanted (${KEY}) USING (${KEY}) ORDER BY cohort FOR UPDATE OF ${table_}`;
    const write = `
      UPDATE ${table_} SET reports = ${table_}.reports + 8, cells = sums.cells
        FROM unnest(${KEYS}, $7::bytea[]) AS sums (${KEY}, cells)
        WHERE ${KEY.split(', ')
          .map((column) => `${table_}.${column} = sums.${column}`)
          .join(' AND ')}`;
    return async (query, last) => {
      const found = await query(read, keys);
      const sums = found.map(([cells]) => {
        const sum = new Int32Array(Uint8Array.from(cells as Buffer).buffer);
        for (const cohort of cohorts)
          for (let cell = CELLS * cohort; cell < CELLS * (cohort + 1); cell++) sum[cell] = (sum[cell] as number) + 1;
        return new Uint8Array(sum.buffer);
      });
      return last(write, [...keys, byteas(sums)]);
    };
  },
});

/** The form that the store has, and those that count in place. */
export const SHIPPED = "and ten rows, one for each metric's shard (as shipped)";
export const IN_PLACE = [
  'and a counter in place for each tally, which the database adds to',
  'and ten counters in place, which the database adds to',
  'and ten packed counters in place, read, added and written',
] as const;

export const FORMS: readonly Form[] = [
  { name: 'ids only', tables: [], prepare: () => async () => undefined },
  deltas('and one row with all sums', 1),
  deltas(SHIPPED, METRICS),
  rows,
  added(IN_PLACE[0], 'counter', TALLIES),
  added(IN_PLACE[1], 'wide_counter', METRICS),
  packed(IN_PLACE[2], 'packed_counter'),
];
