/**
 * `npm run bench -- scale`: what the database takes in flushes of 1,000 batches, by what a flush appends beside the ids, and by how many
 * flushes run at a time; then what collectors take over HTTP (http.ts). The sums are 100 KB a flush: those of ten metrics, of which five are texts of 128 cohorts in two segments.
 */

import { randomBytes } from 'node:crypto';
import { connected, type Query } from '#collector/store/postgres/database.ts';
import { withCluster } from '../../faults/postgres/cluster.ts';
import { rowOf } from '../lines.ts';
import { http } from './http.ts';
import { simulation } from './simulation.ts';

const [BATCHES, FLUSHES] = [1_000, 30];
const [BYTES, TALLIES] = [102_400, 1_280];
const LANES = [1, 2, 4];
const [LEAST, LEAST_OF_COUNTERS] = [1.5, 3];

const TABLES = `
  CREATE TABLE batch_id (shard smallint, day integer, id uuid, body bigint, PRIMARY KEY (shard, day, id)) PARTITION BY LIST (day);
  CREATE TABLE batch_id_1 PARTITION OF batch_id FOR VALUES IN (1);
  CREATE TABLE delta (shard smallint, flush uuid, head text, sums bytea, PRIMARY KEY (shard, flush));
  ALTER TABLE delta ALTER COLUMN sums SET STORAGE EXTERNAL;
  CREATE TABLE tally_delta (shard smallint, metric text, schema text, day integer, segment text, cohort integer, reports integer, cells bytea);
  CREATE TABLE counter (
    shard smallint, metric text, schema text, day integer, segment text, cohort integer, reports integer, cells integer[],
    PRIMARY KEY (shard, metric, schema, day, segment, cohort)
  )`;

const IDS = `
  INSERT INTO batch_id SELECT * FROM unnest($1::smallint[], $2::integer[], $3::uuid[], $4::bigint[]) ON CONFLICT DO NOTHING RETURNING day, id`;

const list = (values: readonly (string | number)[]): string => `{${values.join()}}`;
const times = <T>(count: number, value: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => value(i));

/** Appends the sums as so many rows. */
const rows = (count: number) => async (query: Query) => {
  const places = times(count, (i) => `($${4 * i + 1}, $${4 * i + 2}, $${4 * i + 3}, $${4 * i + 4})`);
  const values = times(count, (i) => [i, crypto.randomUUID(), 'x'.repeat(500), randomBytes(BYTES / count)]).flat();
  await query(`INSERT INTO delta VALUES ${places}`, values);
};

/** The columns of a row for each tally, all but the cells. */
function tallyColumns(): readonly (readonly (string | number)[])[] {
  const same = (value: string | number): readonly (string | number)[] => times(TALLIES, () => value);
  return [same(1), same('metric'), same('app/1/0123456789abcdef'), same(1), same('{}'), times(TALLIES, (i) => i), same(8)];
}
const TALLY_TYPES = '$1::smallint[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[], $7::integer[]';

/** Appends each tally as a row. */
async function tallies(query: Query): Promise<void> {
  const cells = times(TALLIES, () => randomBytes(BYTES / TALLIES));
  await query(`INSERT INTO tally_delta SELECT * FROM unnest(${TALLY_TYPES}, $8::bytea[])`, [...tallyColumns(), cells]);
}

/** Adds each tally to its row, as a database does that keeps counters: with as many bytes of cells, four for each. */
async function counters(query: Query): Promise<void> {
  const cells = times(TALLIES, () => list(times(BYTES / TALLIES / 4, (i) => i)));
  await query(
    `INSERT INTO counter
      SELECT shard, metric, schema, day, segment, cohort, reports, cells::integer[] FROM unnest(${TALLY_TYPES}, $8::text[])
        AS fresh (shard, metric, schema, day, segment, cohort, reports, cells)
      ON CONFLICT (shard, metric, schema, day, segment, cohort) DO UPDATE SET reports = counter.reports + excluded.reports,
        cells = ARRAY(SELECT a + b FROM unnest(counter.cells, excluded.cells) AS pair (a, b))`,
    [...tallyColumns(), cells],
  );
}

const FORMS: readonly (readonly [name: string, append: (query: Query) => Promise<void>])[] = [
  ['ids only', async () => undefined],
  ['and one row with all sums', rows(1)],
  ["and ten rows, one for each metric's shard (as shipped)", rows(10)],
  ['and 1,280 rows, one for each tally', tallies],
  ['and 1,280 counters, updated in place', counters],
];

/** One flush, of ids that are all new. */
async function flush(query: Query, append: (query: Query) => Promise<void>): Promise<void> {
  const ids = times(BATCHES, () => randomBytes(16).toString('hex')).sort();
  const shards = ids.map((id) => Number.parseInt(id.slice(0, 2), 16));
  await query('BEGIN');
  const values = [list(shards), list(times(BATCHES, () => 1)), list(ids), list(times(BATCHES, () => randomBytes(6).readUIntBE(0, 6)))];
  const fresh = await query(IDS, values);
  if (fresh.length !== BATCHES) throw new Error(`expected ${BATCHES} ids that are new, got ${fresh.length}`);
  await append(query);
  await query('COMMIT');
}

/** Batches a second, with so many flushes at a time. */
async function speedOf(url: string, lanes: number, append: (query: Query) => Promise<void>): Promise<number> {
  await connected({ postgres: url }, (query) => flush(query, append));
  const began = performance.now();
  const lane = (): Promise<void> =>
    connected({ postgres: url }, async (query) => {
      for (let i = 0; i < FLUSHES; i++) await flush(query, append);
    });
  await Promise.all(times(lanes, lane));
  return (1_000 * lanes * FLUSHES * BATCHES) / (performance.now() - began);
}

/** Measures each form with each number of flushes at a time. */
async function flushes(): ReturnType<typeof scale> {
  const speeds = await withCluster(async ({ url }) => {
    await connected({ postgres: url }, (query) => query(TABLES));
    const found: number[][] = FORMS.map(() => []);
    // The forms take turns, because other work on the machine comes and goes.
    for (const lanes of LANES) for (const [i, [, append]] of FORMS.entries()) found[i]?.push(await speedOf(url, lanes, append));
    return found;
  });
  const best = speeds.map((all) => Math.max(...all)) as [number, number, number, number, number];
  const packs = best[2] >= LEAST * best[3] && best[2] >= LEAST_OF_COUNTERS * best[4];
  const { passed, lines } = await http();
  const verdict = `${packs ? 'passed' : 'FAILED'}: packed sums take at least ${LEAST} times as many batches as a row for each tally, and ${LEAST_OF_COUNTERS} times as many as counters`;
  return {
    result: { passed: packs && passed, ...Object.fromEntries([...FORMS.map(([name], i) => [name, speeds[i]]), ['http', lines]]) },
    rows: [
      [verdict],
      ['a flush appends: batches a second', ...LANES.map((lanes) => `${lanes} at a time`)],
      ...FORMS.map(([name], i) => [name, ...(speeds[i] ?? []).map((speed) => speed.toFixed(0))]),
      [],
      ['over HTTP', 'measured', 'aim', ''],
      ...lines.map(rowOf),
    ],
  };
}

/** Measures flushes; with `--simulate`, collectors, and a simulation of many (`simulation.ts`). */
export const scale = (
  args: readonly string[],
): Promise<{ readonly result: { readonly passed: boolean }; readonly rows: readonly (readonly string[])[] }> =>
  args[0] === '--simulate' ? simulation(args.slice(1)) : flushes();
