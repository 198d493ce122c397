/** What the database takes in flushes of 1,000 batches, by what they do (`forms.ts`) and by how many processes flush at a time. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Database } from '#collector/store/postgres/database.ts';
import { prepare } from '#collector/store/postgres/opening.ts';
import { Partitions } from '#collector/store/postgres/partitions.ts';
import { type Cluster, withCluster } from '../../faults/postgres/cluster.ts';
import type { Line } from '../lines.ts';
import { median } from '../quantile.ts';
import type { Order } from './flusher.ts';
import { FORMS, IN_PLACE, SHIPPED } from './forms.ts';

const [BATCHES, FLUSHES, ROUNDS, DAY] = [1_000, 8, 3, 20_000];
const PROCESSES = [1, 2, 4, 8];

const [LEAST_A_SECOND, LEAST_OF_COUNTERS] = [40_000, 3];

const file = fileURLToPath(new URL('./flusher.ts', import.meta.url));

/** Creates the store's tables and those of the forms. */
async function createTables(postgres: string): Promise<void> {
  await prepare({ postgres }, false);
  const database = new Database({ postgres }, { connections: 1, isGuarded: false });
  await new Partitions(database).ensure([DAY]);
  for (const sql of FORMS.flatMap(({ tables }) => tables)) await database.transaction((query) => query(sql));
  await database.close();
}

/** Batches a second of so many flushers at once. They prepare their flushes before the clock runs. */
async function speedOf(flushers: readonly ChildProcess[], form: number): Promise<number> {
  const all = async (order: Order | 'go'): Promise<unknown> => {
    const answers = flushers.map((flusher) => once(flusher, 'message'));
    for (const flusher of flushers) flusher.send(order);
    return Promise.all(answers);
  };
  await all({ form, flushes: FLUSHES, batches: BATCHES });
  const began = performance.now();
  await all('go');
  return (1_000 * flushers.length * FLUSHES * BATCHES) / (performance.now() - began);
}

/** Measures each form with each number of processes. Forms take turns, because other work on the machine comes and goes. */
async function measure({ url }: Cluster): Promise<readonly (readonly number[])[]> {
  await createTables(url);
  const flushers = PROCESSES.slice(-1).flatMap((most) => Array.from({ length: most }, () => fork(file, [url, `${DAY}`])));
  try {
    await Promise.all(flushers.map((flusher) => once(flusher, 'message')));
    const runs: number[][][] = FORMS.map(() => PROCESSES.map(() => []));
    for (let round = -1; round < ROUNDS; round++)
      for (const [i, processes] of PROCESSES.entries())
        for (const form of FORMS.keys()) {
          const speed = await speedOf(flushers.slice(0, processes), form);
          if (round >= 0) runs[form]?.[i]?.push(speed);
        }
    return runs.map((ofForm) => ofForm.map(median));
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

/** Measures flushes: the speeds of each form, and what they are to be, always beside as many processes. */
export async function flushes(): Promise<{ readonly table: readonly (readonly string[])[]; readonly lines: readonly Line[] }> {
  const speeds = await withCluster(measure);
  const speedsOf = (name: string): readonly number[] => speeds[FORMS.findIndex((form) => form.name === name)] ?? [];
  const shipped = speedsOf(SHIPPED);
  const fastest = PROCESSES.map((_, i) => Math.max(...IN_PLACE.map((name) => speedsOf(name)[i] as number)));
  const of = (what: string, others: readonly number[]): readonly Line[] =>
    PROCESSES.map((processes, i) => ({
      what: `${processes} at a time: as shipped, of ${what}`,
      measured: (shipped[i] as number) / (others[i] as number),
      unit: 'times',
      target: { atLeast: LEAST_OF_COUNTERS },
    }));
  return {
    table: [
      ['a flush inserts ids: batches a second', ...PROCESSES.map((processes) => `${processes} at a time`)],
      ...FORMS.map(({ name }, i) => [name, ...(speeds[i] ?? []).map((speed) => speed.toFixed(0))]),
    ],
    lines: [
      { what: 'as shipped, at best', measured: Math.max(...shipped), unit: 'batches a second', target: { atLeast: LEAST_A_SECOND } },
      ...of('a counter for each tally in place', speedsOf(IN_PLACE[0])),
      ...of('the fastest counters in place', fastest),
    ],
  };
}
