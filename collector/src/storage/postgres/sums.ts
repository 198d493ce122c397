/** Numbers to be added to the rows of a table of sums, many rows in one statement. */

import type { Query } from './database.ts';
import { SCHEMA } from './tables.ts';

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
