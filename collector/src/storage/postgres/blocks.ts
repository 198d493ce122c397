/** Rows of tallies: each has the cohorts of one block of a metric's day and segment. Runs under the lock of the shard. */

import { appOf, ROW_BYTES } from '../quota.ts';
import { addCells, encodeCells } from '../tallying/cell-codec.ts';
import { type PackedTallies, TallySums } from '../tallying/sums.ts';
import type { Query } from './database.ts';
import { BLOCK, encodedTallies, packTallies, unpackTallies } from './packed.ts';
import { SCHEMA } from './tables.ts';

// Numbers to be added to the rows of a table of sums, many rows in one statement.

/** Numbers by a key of several columns. */
export class Sums<Key extends readonly (string | number)[]> {
  readonly #rows = new Map<string, { readonly key: Key; readonly values: number[] }>();

  /** Adds numbers to those of a key. */
  add(key: Key, ...values: readonly number[]): void {
    const name = key.join('\n');
    const row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, { key, values: [...values] });
    else for (const [i, value] of values.entries()) row.values[i] = (row.values[i] as number) + value;
  }

  /** The keys with their numbers. */
  get rows(): readonly (readonly (string | number)[])[] {
    return [...this.#rows.values()].map(({ key, values }) => [...key, ...values]);
  }
}

/** A table of sums: its columns with their types, and what becomes of those of a row that is there. */
interface Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly values: readonly string[];
}

const TYPES: { readonly [column: string]: string } = { metric: 'text', schema: 'text', app: 'text', day: 'integer', ones: 'integer' };

/** The tables of sums. */
export const TABLES: { readonly [name in 'total' | 'ones' | 'room' | 'ids']: Table } = {
  total: { name: 'total', key: ['metric', 'schema', 'day'], values: ['reports'] },
  ones: { name: 'ones', key: ['metric', 'schema', 'day', 'ones'], values: ['reports'] },
  room: { name: 'room', key: ['app', 'day'], values: ['rows', 'bytes'] },
  ids: { name: 'app_ids', key: ['app', 'day'], values: ['ids'] },
};

/** Adds numbers to a table's rows of a shard. */
export async function writeSums<Key extends readonly (string | number)[]>(
  query: Query,
  { name, key, values }: Table,
  shard: number,
  sums: Sums<Key>,
): Promise<void> {
  const { rows } = sums;
  if (rows.length === 0) return;
  const all = [...key, ...values];
  const parameters = all.map((column, i) => `$${i + 2}::${TYPES[column] ?? 'bigint'}[]`);
  await query(
    `INSERT INTO ${SCHEMA}.${name} (shard, ${all}) SELECT $1, * FROM unnest(${parameters})
      ON CONFLICT (shard, ${key}) DO UPDATE SET ${values.map((value) => `${value} = ${name}.${value} + excluded.${value}`)}`,
    [shard, ...all.map((_, column) => rows.map((row) => row[column]))],
  );
}

/** Key of a row. */
type Key = readonly [metric: string, schema: string, day: number, segment: string, block: number];

/** The columns of rows, each as a list. */
const columns = (rows: readonly (readonly unknown[])[], width: number): readonly unknown[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));

const nameOf = (key: readonly unknown[]): string => key.join('\n');

/** Adds a tally's cells. @throws {RangeError} that names the tally, when it is damaged */
function addTo(cells: Uint8Array, sums: Float64Array, name: () => string): void {
  try {
    addCells(cells, sums);
  } catch (error) {
    throw new RangeError(`tally ${name()}: ${(error as Error).message}`);
  }
}

/** Tallies to be added to the rows of a shard. */
export class BlockSums {
  readonly #blocks = new Map<string, { readonly key: Key; readonly sums: TallySums }>();

  add([metric, schema, day, segment]: readonly [string, string, number, string], tallies: PackedTallies): void {
    for (const [cohort, { reports, cells }] of encodedTallies(tallies)) {
      const key: Key = [metric, schema, day, segment, Math.floor(cohort / BLOCK)];
      const name = nameOf(key);
      const block = this.#blocks.get(name) ?? { key, sums: new TallySums() };
      this.#blocks.set(name, block);
      block.sums.add({ cohorts: [cohort], reports: [reports], lengths: [cells.length], cells });
    }
  }

  /** Adds them to a table's rows, and returns by how many rows and bytes each app's day grows. */
  async write(query: Query, table: 'tally' | 'monthly', shard: number): Promise<Sums<readonly [app: string, day: number]>> {
    const growth = new Sums<readonly [app: string, day: number]>();
    const all = [...this.#blocks.values()];
    if (all.length === 0) return growth;
    const keys = columns(
      all.map(({ key }) => key),
      5,
    );
    const found = await query(
      `SELECT metric, schema, day, segment, block, cells FROM ${SCHEMA}.${table}
        JOIN unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[])
          AS wanted (metric, schema, day, segment, block) USING (metric, schema, day, segment, block)
        WHERE shard = $1`,
      [shard, ...keys],
    );
    const former = new Map(found.map((row) => [nameOf(row.slice(0, 5)), row[5] as Uint8Array]));
    const rows = all.map(({ key, sums }) => {
      const tallies = encodedTallies(unpackTallies(former.get(nameOf(key)) ?? packTallies(new Map())));
      for (const [cohort, { reports, cells }] of sums.tallies) {
        const known = tallies.get(cohort);
        if (known !== undefined) addTo(known.cells, cells, () => `${key.join(' ')} ${cohort}`);
        const encoded = encodeCells(cells);
        tallies.set(cohort, { reports: reports + (known?.reports ?? 0), cells: encoded });
        const bytes = known === undefined ? ROW_BYTES + encoded.length : encoded.length - known.cells.length;
        growth.add([appOf(key[1]), key[2]], known === undefined ? 1 : 0, bytes);
      }
      const reports = [...tallies.values()].reduce((sum, tally) => sum + tally.reports, 0);
      return { reports, bytes: packTallies(tallies) };
    });
    const places: number[] = [];
    let place = 1;
    for (const { bytes } of rows) {
      places.push(place);
      place += bytes.length;
    }
    await query(
      `INSERT INTO ${SCHEMA}.${table} (shard, metric, schema, day, segment, block, reports, cells)
        SELECT $1, metric, schema, day, segment, block, reports, substring($10::bytea FROM place FOR length)
          FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[], $7::bigint[], $8::integer[], $9::integer[])
            AS rows (metric, schema, day, segment, block, reports, place, length)
        ON CONFLICT (shard, metric, schema, day, segment, block) DO UPDATE SET reports = excluded.reports, cells = excluded.cells`,
      [
        shard,
        ...keys,
        rows.map(({ reports }) => reports),
        places,
        rows.map(({ bytes }) => bytes.length),
        Buffer.concat(rows.map(({ bytes }) => bytes)),
      ],
    );
    return growth;
  }
}
