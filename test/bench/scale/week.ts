/**
 * `npm run bench -- scale --week [--only sqlite,postgres] [--start 6.3e7] [--ids 1e7,1e8] [--room 15] [--seconds 4]`: a week of ids on a
 * simulated clock. On PostgreSQL, the ids of each day are copied into its partition (copied-ids.ts), and a collector takes batches of that day
 * on top. Where the room, in GB, is too little for the whole week, its other days are simulated from what batches and flushes cost on the last
 * measured day; where it is too little for one day, on the last day of the number before. On SQLite, a collector starts on the ids (starts.ts).
 */

import { parseArgs } from 'node:util';
import { dayNumber } from '@murmuration/shared';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { type Cluster, withCluster } from '../../faults/postgres/cluster.ts';
import { holds, type Line, rowOf } from '../lines.ts';
import { calibrate } from './calibrate.ts';
import { type Copied, copyIds } from './copied-ids.ts';
import type { Costs } from './fleet.ts';
import { type IdCosts, measureIds } from './ids.ts';
import { type Measured, measure } from './measure.ts';
import { KEPT, type Needs, needsOf } from './plans.ts';
import { bytes, numberOf, optionsOf, whole } from './simulation.ts';
import { startOn } from './starts.ts';

const WEEK = 7;
const GIGABYTE = 1e9;

/** Clients of the runs on each day, and of the two that calibrate. */
const CLIENTS = 64;
const CALIBRATING = [4, 128] as const;

/** The processor time that a batch may cost the database on the last day, of that on the first. The machine's other users come and go. */
const MOST_SLOWER = 1.5;

/** Seconds until a collector takes batches on SQLite, at most. */
const READY = 10;

/** Nothing is written ahead for rows that are copied into a partition that is new. */
const SETTINGS = ['wal_level=minimal', 'max_wal_senders=0', 'shared_buffers=1GB', 'max_wal_size=4GB', 'maintenance_work_mem=1GB'];

type Row = readonly string[];

/** A day of the week: the ids that were copied, and a run on top of all ids so far. */
interface Day {
  readonly copied: Copied;
  readonly run: Measured;
}

/** A week with so many ids a day. */
interface Week {
  readonly ids: number;
  /** The days that were measured. */
  readonly days: readonly Day[];
  /** The costs by which the others are simulated, and the bytes that a batch's sums have in the log. */
  readonly costs: Costs;
  readonly sums: number;
  readonly needs: Needs;
}

const ms = (seconds: number): string => `${(1_000 * seconds).toFixed(1)} ms`;
const us = (seconds: number): string => `${(1e6 * seconds).toFixed(0)} µs`;

/** Fills so many of the days as there is room for, takes batches on each, and calibrates on the last. */
async function measureDays(cluster: Cluster, ids: number, room: number, seconds: number, idCosts: IdCosts): Promise<Omit<Week, 'needs'>> {
  await prepare({ postgres: cluster.url }, false);
  const first = dayNumber(Date.now());
  const days: Day[] = [];
  for (let used = 0; days.length < WEEK; ) {
    const day = first + days.length;
    const copied = await copyIds(cluster.url, day, ids);
    days.push({ copied, run: await measure(cluster, 1, CLIENTS, seconds, day) });
    used += copied.table + copied.index;
    if (used + copied.table + copied.index > room) break;
  }
  const last = first + days.length - 1;
  const [few, many] = [await measure(cluster, 1, CALIBRATING[0], seconds, last), await measure(cluster, 1, CALIBRATING[1], seconds, last)];
  return { ids, days, costs: calibrate(few, many), sums: Math.max(0, many.logged / many.batches - idCosts.logged) };
}

/** A week of so many ids, of which one day needs the room that it has, or is simulated after the week before. */
async function weekOf(ids: number, room: number, seconds: number, idCosts: IdCosts, before: Week | undefined): Promise<Week> {
  const fits = ids * (idCosts.row + idCosts.index) <= room;
  if (!fits && before === undefined) throw new TypeError(`--room: expected room for a day of ${ids} ids, got ${bytes(room)}`);
  const measured =
    fits || before === undefined
      ? await withCluster((cluster) => measureDays(cluster, ids, room, seconds, idCosts), SETTINGS)
      : { ids, days: [], costs: before.costs, sums: before.sums };
  return { ...measured, needs: needsOf(ids, measured.costs, idCosts, measured.sums, optionsOf([]).assumed) };
}

const dayRow = ({ copied, run }: Day, i: number, ids: number): Row => [
  `${i + 1}`,
  whole(ids * (i + 1)),
  bytes(copied.table),
  bytes(copied.index),
  whole(run.batches / run.seconds),
  us(run.collector / run.batches),
  us(run.database / run.batches),
  ms(run.latencies.quantile(0.5)),
  ms(run.latencies.quantile(0.99)),
];

function tablesOf({ ids, days, needs }: Week): readonly Row[] {
  const each = needs.ids / KEPT;
  const measured: readonly Row[] = [
    [`${whole(ids)} ids a day: MEASURED, with ${CLIENTS} clients on one collector`],
    ['day', 'ids kept', 'table', 'its index', 'batches/s', 'collector', 'database', 'half within', '99 % within'],
    ...days.map((day, i) => dayRow(day, i, ids)),
    [],
  ];
  return [
    ...(days.length > 0 ? measured : []),
    [`${whole(ids)} ids a day: SIMULATED from what a batch and a flush cost; ${WEEK - days.length} days of the week were not measured`],
    ['collectors and cores of the database', `${needs.plan.collectors}, ${needs.plan.databaseCores}`],
    ['acknowledged within, half and 99 % of a day', `${ms(needs.day.quantile(0.5))}, ${ms(needs.day.quantile(0.99))}`],
    ['disk of a day kept', bytes(each)],
    [`disk of a week, of ${KEPT} days`, `${bytes(WEEK * each)}, ${bytes(KEPT * each)}`],
    ['memory: the index of a day', bytes(needs.index)],
    ['write-ahead log of a day', bytes(needs.logged)],
  ];
}

const linesOf = ({ ids, days }: Week): readonly Line[] => {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const cost = ({ run }: Day): number => run.database / run.batches;
  return [
    {
      what: `${whole(ids)} ids a day: what a batch costs the database on day ${days.length}, of day 1`,
      measured: cost(last) / cost(first),
      unit: 'times',
      target: { atMost: MOST_SLOWER },
    },
  ];
};

/** Measures the week in both stores. */
export async function week(
  args: readonly string[],
): Promise<{ readonly result: { readonly passed: boolean }; readonly rows: readonly Row[] }> {
  const text = (otherwise: string) => ({ type: 'string', default: otherwise }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: { only: text('sqlite,postgres'), start: text('6.3e7'), ids: text('1e7,1e8'), room: text('15'), seconds: text('4') },
  });
  const [room, seconds] = [numberOf('room', values.room), numberOf('seconds', values.seconds)];
  const numbers = values.ids.split(',').map((each) => numberOf('ids', each));
  const lines: Line[] = [];
  const said: Row[] = [];
  if (values.only.includes('sqlite')) {
    const [least = 0] = numbers;
    for (const [ids, days] of [
      [WEEK * least, WEEK],
      [numberOf('start', values.start), KEPT - 2],
    ] as const) {
      const start = await startOn({ ids, days, seconds, atMost: READY });
      lines.push(...start.lines);
      said.push([start.said]);
    }
  }
  const weeks: Week[] = [];
  if (values.only.includes('postgres')) {
    const { costs } = await measureIds();
    for (const ids of numbers) weeks.push(await weekOf(ids, room * GIGABYTE, seconds, costs, weeks.at(-1)));
    lines.push(...weeks.flatMap(linesOf));
  }
  const passed = lines.every(holds);
  return {
    result: { passed, lines, weeks } as { readonly passed: boolean },
    rows: [...weeks.flatMap((each) => [...tablesOf(each), []]), ...said, ['week', 'measured', 'aim', ''], ...lines.map(rowOf)],
  };
}
