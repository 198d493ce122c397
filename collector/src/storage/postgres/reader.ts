/**
 * Reads the tallies of a store on PostgreSQL: in one snapshot, those that are folded and the deltas that are not. So a reader sees what is
 * acknowledged, whoever has folded what, and a fold between two reads changes nothing.
 */

import { wholeMonths } from '../../base/days.ts';
import type { DailyOnes } from '../../estimation/tally.ts';
import type { MetricTotal, PartsReader, PostgresSource, Selection } from '../store.ts';
import type { PackedTallies } from '../tallying/sums.ts';
import { byDay, type DayRow, DaySums, exclusionOf, partsOf, RangeSums } from '../tallying/sums.ts';
import { Database, type Query } from './database.ts';
import { type FullAddition, readDelta, readHead } from './fold.ts';
import { unpackTallies } from './packed.ts';
import { checkVersion, SCHEMA, shardOf } from './tables.ts';

const SNAPSHOT = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** A day after all days. */
const NO_DAY = 2 ** 31 - 1;

/** Reports below this number do not change the epoch's part of a version. */
const EPOCH = 2 ** 40;

/**
 * Work on rows after the transaction that has read them. Sums of many tallies take seconds, and the database ends a
 * transaction that does nothing for so long.
 */
type Later<T> = () => T;

/** A selection, and the days of which rows count. */
interface Wanted extends Selection {
  readonly days: readonly [from: number, to: number];
  readonly rolled: number;
  readonly shard: number;
}

/** Months count as a whole or not at all, and days that are no longer kept do not count. */
async function wantedOf(query: Query, selection: Selection): Promise<Wanted> {
  const { from = 0, to = NO_DAY, schemas, metric } = selection;
  const [row = []] = await query(`SELECT rolled, kept, version FROM ${SCHEMA}.store`);
  const [rolled, kept, version] = row.map(Number) as [number, number, number];
  checkVersion(version);
  const days = wholeMonths(Math.max(kept, from), Math.min(NO_DAY, to), rolled);
  return { ...selection, rolled, days, shard: shardOf(schemas[0] ?? '', metric) };
}

const OF_METRIC = 'shard = $1 AND metric = $2 AND schema = ANY($3) AND day BETWEEN $4 AND $5';
const ofMetric = ({ shard, metric, schemas, days }: Wanted): readonly unknown[] => [shard, metric, schemas, ...days];

const isIn = (segment: string, wanted: Selection['segment'] = {}): boolean => {
  const values = JSON.parse(segment) as { readonly [name: string]: string };
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(values, name) && values[name] === value);
};

/** The segments of a table that are selected; null for all. The database can't look into them: its JSON has fewer strings than a schema. */
async function segmentsOf(query: Query, table: 'tally' | 'monthly', wanted: Wanted): Promise<readonly string[] | null> {
  if (Object.keys(wanted.segment ?? {}).length === 0) return null;
  const rows = await query(`SELECT DISTINCT segment FROM ${SCHEMA}.${table} WHERE ${OF_METRIC}`, ofMetric(wanted));
  return rows.map(([segment]) => String(segment)).filter((segment) => isIn(segment, wanted.segment));
}

/** The rows of a table, of some days only where these are given. */
async function readRows(
  query: Query,
  table: 'tally' | 'monthly',
  wanted: Wanted,
  days?: readonly number[],
): Promise<Later<readonly DayRow[]>> {
  const rows = await query(
    `SELECT day, cells FROM ${SCHEMA}.${table} WHERE ${OF_METRIC} AND ($6::text[] IS NULL OR segment = ANY($6))
      AND ($7::integer[] IS NULL OR day = ANY($7)) ORDER BY day`,
    [...ofMetric(wanted), await segmentsOf(query, table, wanted), days ?? null],
  );
  return () => rows.map(([day, cells]) => ({ ...unpackTallies(cells as Uint8Array), day: Number(day) }));
}

/** Additions of the deltas to a selection, of all segments, in the order of their days. */
async function readDeltas(query: Query, { shard, schemas, metric, days: [from, to] }: Wanted): Promise<Later<readonly FullAddition[]>> {
  const rows = await query(`SELECT head, sums FROM ${SCHEMA}.delta WHERE shard = $1`, [shard]);
  return () =>
    rows
      .flatMap(([head, sums]) => readDelta({ head: String(head), sums: sums as Uint8Array }).additions)
      .filter(({ partition: [schema, day], metric: name }) => name === metric && schemas.includes(schema) && from <= day && day <= to)
      .sort((a, b) => a.partition[1] - b.partition[1]);
}

/**
 * The folded tallies of each day, of all segments. Only days whose sums are not kept are read. Days that retention is moving to their months
 * are not kept.
 */
async function readDaySums(query: Query, kept: DaySums, wanted: Wanted): Promise<Later<readonly DayRow[]>> {
  const name = JSON.stringify([wanted.schemas, wanted.metric]);
  const totals = await query(
    `SELECT day, sum(reports) FROM ${SCHEMA}.total WHERE ${OF_METRIC} GROUP BY day ORDER BY day`,
    ofMetric(wanted),
  );
  const known = totals.map(([day, reports]) => {
    const sums = Number(day) < wanted.rolled ? undefined : kept.find(name, Number(day), Number(reports));
    return { day: Number(day), sums };
  });
  const missing = known.flatMap(({ day, sums }) => (sums === undefined ? [day] : []));
  const rows = missing.length > 0 ? await readRows(query, 'tally', wanted, missing) : () => [];
  return () => {
    const fresh = new Map<number, PackedTallies>();
    for (const [day, sums] of byDay(rows())) {
      const packed = sums.packed();
      fresh.set(day, packed);
      if (day >= wanted.rolled) kept.keep(name, day, sums.reports, packed);
    }
    return known.flatMap(({ day, sums = fresh.get(day) }) => (sums === undefined ? [] : [{ ...sums, day }]));
  };
}

/** The rows of a selection, months first, in the order of their days. */
async function readDays(
  query: Query,
  kept: DaySums,
  wanted: Wanted,
): Promise<{ readonly rows: Later<readonly DayRow[]>; readonly deltas: Later<readonly FullAddition[]> }> {
  const deltas = await readDeltas(query, wanted);
  const months = await readRows(query, 'monthly', wanted);
  const isOfAll = Object.keys(wanted.segment ?? {}).length === 0;
  const days = isOfAll ? await readDaySums(query, kept, wanted) : await readRows(query, 'tally', wanted);
  const rows = (): readonly DayRow[] => {
    const fresh = deltas()
      .filter(({ partition: [, , segment] }) => isIn(segment, wanted.segment))
      .map(({ partition: [, day], tallies }) => ({ ...tallies, day }));
    return [...months(), ...[...days(), ...fresh].sort((a, b) => a.day - b.day)];
  };
  return { rows, deltas };
}

async function readOnes(query: Query, wanted: Wanted): Promise<(deltas: readonly FullAddition[]) => readonly DailyOnes[]> {
  const rows = await query(`SELECT day, ones, reports FROM ${SCHEMA}.ones WHERE ${OF_METRIC}`, ofMetric(wanted));
  return (deltas) => {
    const days = new Map<number, Map<number, number>>();
    const isExcluded = exclusionOf(wanted);
    const add = (day: number, ones: number, reports: number): void => {
      if (isExcluded(day)) return;
      const known = days.get(day) ?? new Map<number, number>();
      days.set(day, known.set(ones, (known.get(ones) ?? 0) + reports));
    };
    for (const [day, ones, reports] of rows) add(Number(day), Number(ones), Number(reports));
    for (const { partition, ones } of deltas) for (const [number, reports] of ones) add(partition[1], number, reports);
    return [...days].sort(([a], [b]) => a - b).map(([day, reports]) => ({ day, reports: new Map([...reports].sort(([a], [b]) => a - b)) }));
  };
}

/** The totals of all metrics, of the small tables and of the heads of the deltas. */
async function readTotals(query: Query): Promise<readonly MetricTotal[]> {
  const [[epoch, kept, version] = []] = await query(`SELECT epoch, kept, version FROM ${SCHEMA}.store`);
  checkVersion(version);
  const totals = new Map<string, { schema: string; metric: string; reports: number; from: number; to: number; epoch: number }>();
  const add = (schema: string, metric: string, reports: number, from: number, to: number, since: number): void => {
    const total = totals.get(`${schema}\n${metric}`) ?? { schema, metric, reports: 0, from, to, epoch: since };
    totals.set(`${schema}\n${metric}`, total);
    total.reports += reports;
    total.from = Math.min(total.from, from);
    total.to = Math.max(total.to, to);
  };
  for (const [schema, metric, reports, from, to, since] of await query(
    `SELECT schema, metric, reports, coalesce(first, ${NO_DAY}), coalesce(last, -1), epoch FROM ${SCHEMA}.metric`,
  ))
    add(String(schema), String(metric), Number(reports), Number(from), Number(to), Number(since));
  for (const [head] of await query(`SELECT head FROM ${SCHEMA}.delta`))
    for (const { partition, metric, reports } of readHead(String(head)).additions)
      if (partition[1] >= Number(kept)) add(partition[0], metric, reports, partition[1], partition[1], Number(epoch));
  return [...totals.values()]
    .filter(({ reports }) => reports > 0)
    .sort((a, b) => (a.schema < b.schema ? -1 : a.schema > b.schema ? 1 : a.metric < b.metric ? -1 : 1))
    .map(({ epoch: since, ...total }) => ({ ...total, version: since * EPOCH + total.reports }));
}

/** A reader on connections of a database that the caller closes. */
function readerOf(database: Database): PartsReader {
  const kept = new DaySums();
  const snapshot = <T>(read: (query: Query) => Promise<T>): Promise<T> => database.transaction(read, SNAPSHOT);
  return {
    totals: () => snapshot(readTotals),
    read: async (selection) => {
      const found = await snapshot(async (query) => {
        const wanted = await wantedOf(query, selection);
        return { wanted, ...(await readDays(query, kept, wanted)), ones: await readOnes(query, wanted) };
      });
      const sums = new RangeSums(found.wanted);
      for (const row of found.rows()) sums.add(row);
      return { ...sums.evidence(), ones: found.ones(found.deltas()) };
    },
    readParts: async (selection, parts) => {
      const [first, last] = [parts[0], parts.at(-1)];
      if (first === undefined || last === undefined) return [];
      const { wanted, rows } = await snapshot(async (query) => {
        const wanted = await wantedOf(query, { ...selection, from: first.from, to: last.to });
        return { wanted, ...(await readDays(query, kept, wanted)) };
      });
      return partsOf(rows(), parts, wanted);
    },
    close: () => database.close(),
  };
}

/** Opens the tallies of a store on PostgreSQL. It connects when it first reads. */
export const openPostgresTallies = (source: PostgresSource): PartsReader =>
  readerOf(new Database(source, { connections: 1, isGuarded: false }));
