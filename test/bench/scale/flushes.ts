/**
 * What the database takes in flushes, by what they do (`forms.ts`) and by how many processes flush at a time: alone, and with a synchronous
 * standby that is a while away. Counters in place hold their locks until the standby has confirmed.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Partitions } from '#collector/storage/postgres/batch-ids.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { type Cluster, withCluster } from '../../faults/postgres/cluster.ts';
import { withStandby } from '../../faults/postgres/standby.ts';
import { median } from '../../kit/quantile.ts';
import type { Line } from '../lines.ts';
import { startDelay } from './delay.ts';
import type { Order } from './flusher.ts';
import { FORMS, IN_PLACE, SHIPPED } from './forms.ts';
import { commitSeconds } from './measure.ts';

const [ROUNDS, DAY] = [3, 20_000];
const PROCESSES = [1, 2, 4, 8];

/**
 * Batches of a flush; flushes of a run, which its processes share; and the batches a second to reach, where there is such an aim. Flushes of
 * busy collectors have about 100 batches.
 */
const SIZES = [
  { name: '1,000 batches', batches: 1_000, flushes: 16, atLeast: 40_000 },
  { name: '100 batches', batches: 100, flushes: 32, atLeast: undefined },
] as const;
type Size = (typeof SIZES)[number];

/** Milliseconds from the primary to its standby, and from there to the primary. */
const AWAY = 1;

const LEAST_OF_COUNTERS = 3;

const file = fileURLToPath(new URL('./flusher.ts', import.meta.url));

/** Batches a second, by form and number of processes. */
type Speeds = readonly (readonly number[])[];

/** What a database took. */
interface Taken {
  /** Milliseconds of a commit that writes nothing. */
  readonly commit: number;
  readonly speeds: readonly Speeds[];
}

/** Creates the store's tables and those of the forms. */
async function createTables(postgres: string): Promise<void> {
  await prepare({ postgres }, false);
  const database = new Database({ postgres }, { connections: 1, isGuarded: false });
  await new Partitions(database).ensure([DAY]);
  for (const sql of FORMS.flatMap(({ tables }) => tables)) await database.transaction((query) => query(sql));
  await database.close();
}

/** Batches a second of a run. The flushers prepare their flushes before the clock runs. */
async function speedOf(flushers: readonly ChildProcess[], form: number, { batches, flushes }: Size): Promise<number> {
  const all = async (message: Order | 'go'): Promise<unknown> => {
    const answers = flushers.map((flusher) => once(flusher, 'message'));
    for (const flusher of flushers) flusher.send(message);
    return Promise.all(answers);
  };
  await all({ form, batches, flushes: flushes / flushers.length });
  const began = performance.now();
  await all('go');
  return (1_000 * flushes * batches) / (performance.now() - began);
}

/** Measures each form with each number of processes. Forms take turns, because other work on the machine comes and goes. */
async function measureSize(flushers: readonly ChildProcess[], size: Size): Promise<Speeds> {
  for (const form of FORMS.keys()) await speedOf(flushers, form, size); // until the code is compiled
  const runs: number[][][] = FORMS.map(() => PROCESSES.map(() => []));
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, processes] of PROCESSES.entries())
      for (const form of FORMS.keys()) runs[form]?.[i]?.push(await speedOf(flushers.slice(0, processes), form, size));
  return runs.map((ofForm) => ofForm.map(median));
}

/** Measures both sizes. */
async function measure({ url }: Cluster): Promise<Taken> {
  const flushers = PROCESSES.slice(-1).flatMap((most) => Array.from({ length: most }, () => fork(file, [url, `${DAY}`])));
  try {
    await Promise.all(flushers.map((flusher) => once(flusher, 'message')));
    const speeds: Speeds[] = [];
    for (const size of SIZES) speeds.push(await measureSize(flushers, size));
    return { commit: 1_000 * (await commitSeconds(url)), speeds };
  } finally {
    await Promise.all(
      flushers.map((flusher) => {
        const ended = once(flusher, 'exit');
        flusher.disconnect();
        return ended;
      }),
    );
  }
}

/** Measures a server alone, or one whose standby is as far away as that. */
const measureServer = (isAlone: boolean): Promise<Taken> =>
  withCluster(async (cluster) => {
    await createTables(cluster.url);
    if (isAlone) return measure(cluster);
    const delay = await startDelay(cluster.port, AWAY);
    try {
      return await withStandby(cluster, () => measure(cluster), delay.port);
    } finally {
      await delay.close();
    }
  });

type Table = readonly (readonly string[])[];

/** The table of one size, and what is said of it. The aim is for what the database takes at best. */
function tell(name: string, speeds: Speeds, atLeast: number | undefined): { readonly table: Table; readonly lines: readonly Line[] } {
  const speedsOf = (form: string): readonly number[] => speeds[FORMS.findIndex((each) => each.name === form)] ?? [];
  const shipped = speedsOf(SHIPPED);
  const fastest = PROCESSES.map((_, i) => Math.max(...IN_PLACE.map((form) => speedsOf(form)[i] as number)));
  const ratio = (how: string, what: string, own: number, other: number): Line => ({
    ...{ what: `${name}, ${how}: as shipped, of ${what}`, measured: own / other, unit: 'times' },
  });
  const ratios = (what: string, others: readonly number[]): readonly Line[] => [
    ratio('at best', what, Math.max(...shipped), Math.max(...others)),
    ...PROCESSES.map((processes, i) => ratio(`${processes} at a time`, what, shipped[i] as number, others[i] as number)),
  ];
  const [best, ...each] = ratios('a counter for each tally in place', speedsOf(IN_PLACE[0]));
  return {
    table: [
      [`${name}: batches a second`, ...PROCESSES.map((processes) => `${processes} at a time`)],
      ...FORMS.map((form, i) => [form.name, ...(speeds[i] ?? []).map((speed) => speed.toFixed(0))]),
    ],
    lines: [
      {
        what: `${name}: as shipped, at best`,
        measured: Math.max(...shipped),
        unit: 'batches a second',
        ...(atLeast && { target: { atLeast } }),
      },
      { ...(best as Line), target: { atLeast: LEAST_OF_COUNTERS } },
      ...each,
      ...ratios('the fastest counters in place', fastest),
    ],
  };
}

/** Measures flushes: the speeds of each form, and what they are to be. */
export async function flushes(): Promise<{ readonly tables: readonly Table[]; readonly lines: readonly Line[] }> {
  const [tables, lines]: [Table[], Line[]] = [[], []];
  for (const isAlone of [true, false]) {
    const { commit, speeds } = await measureServer(isAlone);
    const where = isAlone ? 'no standby' : 'a standby';
    lines.push({ what: `${where}: a commit that writes nothing`, measured: commit, unit: 'ms' });
    for (const [i, { name, atLeast }] of SIZES.entries()) {
      const told = tell(`${name}, ${where}`, speeds[i] as Speeds, atLeast);
      tables.push(told.table);
      lines.push(...told.lines);
    }
  }
  return { tables, lines };
}
