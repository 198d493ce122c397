/** What the tables of a database tell of devices: no column has a time finer than a day, or joins a device's answers to two questions. */

import { choice, defineSchema } from '@murmuration/client';
import { createCollector } from '@murmuration/collector';
import { dayNumber, dayText, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connected } from '#collector/storage/postgres/connection.ts';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { STEPS, shardOf } from '#collector/storage/postgres/tables.ts';
import { timesIn } from '../../../kit/times.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';

/** Three questions, two of them of one shard. */
const APP = 'traces';
const shardIn = (metric: string): number => shardOf(`${APP}/1`, metric);
const METRICS = ['plan', 'theme', Array.from({ length: 5_000 }, (_, i) => `q${i}`).find((name) => shardIn(name) === shardIn('plan')) ?? ''];
const question = choice(['a', 'b', 'c'], { epsilon: 1, description: 'Which one?' });
const schema = defineSchema({
  app: APP,
  version: 1,
  budget: { epsilon: 3, per: 'month' },
  metrics: Object.fromEntries(METRICS.map((metric) => [metric, question])),
});
const DEVICES = 30;
const SYMBOLS = ['AA', 'AQ', 'Ag'];

/** The log of what staff did, and when. */
const STAFF = ['admin_action', 'release_entry'];

let url: string;
beforeEach(async () => {
  url = await createDatabase();
});
afterEach(() => dropDatabase(url));

interface Row {
  /** The transaction that wrote it. */
  readonly writer: string;
  readonly values: { readonly [column: string]: unknown };
}

/** All rows of all tables. */
async function rowsOf(): Promise<ReadonlyMap<string, readonly Row[]>> {
  const tables = await execute(
    url,
    `SELECT relname::text, array_agg(attname::text ORDER BY attnum) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = 'murmuration'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped
      GROUP BY relname`,
  );
  const all = new Map<string, readonly Row[]>();
  for (const [table, columns] of tables as readonly (readonly [string, readonly string[]])[]) {
    const rows = await execute(url, `SELECT ${table}.xmin::text, ${columns} FROM murmuration.${table}`);
    const read = rows.map(([writer, ...values]) => ({
      writer: String(writer),
      values: Object.fromEntries(columns.map((column, i) => [column, values[i]])),
    }));
    if (!STAFF.includes(table)) all.set(table, read);
  }
  return all;
}

type Tables = Awaited<ReturnType<typeof rowsOf>>;

/** The columns that have times of the span, with their forms. */
const timesOf = (tables: Tables, span: { readonly from: number; readonly to: number }): readonly string[] =>
  [...tables].flatMap(([table, rows]) =>
    Object.keys(rows[0]?.values ?? {}).flatMap((column) =>
      timesIn(
        rows.map(({ values }) => values[column]),
        span,
      ).map((form) => `${table}.${column}: ${form}`),
    ),
  );

const plain = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : JSON.stringify(value));

/** Columns in which a value is in several rows of one flush and in those of no other, so that it joins them. */
const joinsOf = (tables: Tables): readonly string[] =>
  [...tables].flatMap(([table, rows]) =>
    Object.keys(rows[0]?.values ?? {})
      .filter((column) => {
        const writers = new Map<string, string[]>();
        for (const { writer, values } of rows)
          if (values[column] !== null) writers.set(plain(values[column]), [...(writers.get(plain(values[column])) ?? []), writer]);
        return [...writers.values()].some((all) => all.length > 1 && new Set(all).size === 1);
      })
      .map((column) => `${table}.${column}`),
  );

/** Rows of flushes and folds that name several questions. */
const minglesOf = (tables: Tables, before: ReadonlySet<string>): readonly string[] =>
  [...tables].flatMap(([table, rows]) =>
    rows
      .filter(({ writer }) => !before.has(writer))
      .map(({ values }) => Object.values(values).map(plain).join(' '))
      .filter((text) => METRICS.filter((metric) => text.includes(`"${metric}\\"`) || text.includes(`"${metric}"`)).length > 1)
      .map((text) => `${table}: ${text}`),
  );

test('no column has a time finer than a day, or joins the answers of one device', async () => {
  const collector = await createCollector({ open: true, allowLoss: true, schemas: [schema.document], postgres: url });
  const address = await collector.listen(0, '127.0.0.1');
  const before = new Set([...(await rowsOf()).values()].flat().map(({ writer }) => writer));
  const begun = Date.now();
  const today = dayNumber(begun);
  const body = (device: number): string =>
    JSON.stringify({
      v: 1,
      schema: wireName(schema.document),
      day: dayText(today - (device % 3)),
      batch: (device + 1).toString(16).padStart(32, '0'),
      reports: METRICS.map((metric, i) => [metric, SYMBOLS[(device + i) % SYMBOLS.length]]),
    });
  // Nothing is folded while somebody holds the locks of all shards.
  await connected({ postgres: url }, async (query) => {
    await query('BEGIN');
    await query('SELECT 1 FROM murmuration.shard FOR UPDATE');
    for (let device = 0; device < DEVICES; device++)
      expect((await fetch(`${address}/v1/reports`, { method: 'POST', body: body(device) })).status).toBe(204);
    const tables = await rowsOf();
    const deltas = tables.get('delta') ?? [];
    expect(new Set(deltas.map(({ writer }) => writer)).size).toBe(DEVICES); // a flush of each device
    expect(timesOf(tables, { from: begun, to: Date.now() })).toEqual([]);
    expect(joinsOf(tables)).toEqual([]);
    expect(minglesOf(tables, before)).toEqual([]);
    await query('ROLLBACK');
  });
  await collector.store.fold();
  await expect.poll(async () => (await rowsOf()).get('delta')).toEqual([]);
  const folded = await rowsOf();
  expect(folded.get('tally')).toHaveLength(3 * METRICS.length);
  expect(timesOf(folded, { from: begun, to: Date.now() })).toEqual([]);
  expect(minglesOf(folded, before)).toEqual([]);
  await collector.close();
});

test('ids that an earlier version gave, with the time in them, are replaced when the tables are brought up to date', async () => {
  const step = STEPS.findIndex((each) => each.includes('RENAME COLUMN flush'));
  await prepare({ postgres: url }, true, STEPS.slice(0, step));
  const now = Date.now();
  const old = `${now.toString(16).padStart(12, '0')}7123a123012345678901`;
  await execute(
    url,
    `INSERT INTO murmuration.delta (shard, flush, head, sums) SELECT shard, '${old}', 'a', '' FROM murmuration.shard LIMIT 9`,
  );
  await prepare({ postgres: url }, true);
  const ids = (await execute(url, 'SELECT id FROM murmuration.delta')).map(([id]) => String(id));
  expect(new Set(ids).size).toBe(9);
  expect(timesIn(ids, { from: now - 1_000, to: now + 1_000 })).toEqual([]);
});
