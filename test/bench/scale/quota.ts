/**
 * `npm run bench -- scale --quota [--share 0.2] [--collectors 4] [--rounds 15] [--seconds 2]`: so many collectors on one PostgreSQL, each with
 * so much of a core, beside one of them. The database has a core of its own, the collectors and the load share the others. It needs Linux,
 * two cores, and root, who may limit processes (cgroups).
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cluster, withCluster } from '../../faults/postgres/cluster.ts';
import { median } from '../../kit/quantile.ts';
import { closedLoop } from '../ingest/load.ts';
import { ratioOf } from '../ingest/pairs.ts';
import { type ServerProcess, startServer } from '../ingest/process.ts';
import { requests } from '../ingest/requests.ts';
import { holds, type Line, rowOf } from '../lines.ts';

/** Clients of each collector, and rounds that only warm up. */
const [CLIENTS, WARMING] = [64, 5];

/** Share of a lone collector that each of many takes at least. */
const LEAST_OF_EACH = 0.8;

/** Microseconds in which a process may use its share. */
const PERIOD = 20_000;

const CGROUPS = '/sys/fs/cgroup';

/** Gives a process so much of a core from now on. The group that limits it can be removed once it has ended. */
function limit(pid: number, share: number): () => void {
  const isOld = existsSync(join(CGROUPS, 'cpu', 'cpu.shares'));
  const group = join(CGROUPS, isOld ? 'cpu' : '', `murmuration-${pid}`);
  mkdirSync(group);
  const most = Math.round(PERIOD * share);
  if (isOld) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), `${PERIOD}`);
    writeFileSync(join(group, 'cpu.cfs_quota_us'), `${most}`);
  } else writeFileSync(join(group, 'cpu.max'), `${most} ${PERIOD}`);
  writeFileSync(join(group, 'cgroup.procs'), `${pid}`);
  return () => rmdirSync(group);
}

/** Lets a process and all its threads run on some cores only. */
const pin = (pid: number, cores: string): unknown => execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, `${pid}`]);

interface Options {
  readonly share: number;
  readonly collectors: number;
  readonly rounds: number;
  readonly seconds: number;
}

/** What a run took: requests a second, and cores of the collectors. */
interface Run {
  readonly perSecond: number;
  readonly cores: number;
}

async function run(servers: readonly ServerProcess[], next: () => Buffer, seconds: number): Promise<Run> {
  const usage = async (): Promise<number> =>
    (await Promise.all(servers.map((server) => server.usage()))).reduce((sum, { cpu }) => sum + cpu, 0);
  const before = await usage();
  const loads = await Promise.all(servers.map(({ port }) => closedLoop(port, CLIENTS, next, seconds)));
  const took = Math.max(...loads.map((load) => load.seconds));
  if (loads.some(({ refused }) => refused > 0)) throw new Error('expected every request to be acknowledged');
  return {
    perSecond: loads.reduce((sum, { acknowledged }) => sum + acknowledged, 0) / took,
    cores: ((await usage()) - before) / took,
  };
}

async function linesOf(cluster: Cluster, { share, collectors, rounds, seconds }: Options): Promise<readonly Line[]> {
  const others = `1-${availableParallelism() - 1}`;
  for (const pid of cluster.processes()) pin(pid, '0');
  pin(process.pid, others);
  const servers: ServerProcess[] = [];
  const undo: (() => void)[] = [];
  try {
    for (let i = 0; i < collectors; i++) servers.push(await startServer('postgres', cluster.url));
    for (const { pid } of servers) {
      pin(pid, others);
      undo.push(limit(pid, share));
    }
    const next = await requests(10);
    const [one, all]: [Run[], Run[]] = [[], []];
    for (let round = -WARMING; round < rounds; round++) {
      const single = await run(servers.slice(0, 1), next, seconds);
      const together = await run(servers, next, seconds);
      if (round < 0) continue;
      one.push(single);
      all.push(together);
    }
    const of = (runs: readonly Run[], what: keyof Run): number[] => runs.map((each) => each[what]);
    const { middle, low, high } = ratioOf([of(one, 'perSecond'), of(all, 'perSecond')]);
    return [
      { what: 'one collector', measured: median(of(one, 'perSecond')), unit: 'requests a second' },
      { what: `${collectors} collectors`, measured: median(of(all, 'perSecond')), unit: 'requests a second' },
      { what: 'cores that the one used', measured: median(of(one, 'cores')), unit: '' },
      { what: `cores that the ${collectors} used`, measured: median(of(all, 'cores')), unit: '' },
      { what: `${collectors} of one, median of ${rounds} pairs`, measured: middle, unit: '' },
      { what: 'its interval begins', measured: low, unit: '' },
      { what: 'its interval ends', measured: high, unit: '', target: { atLeast: LEAST_OF_EACH * collectors } },
    ];
  } finally {
    for (const server of servers) await server.stop();
    for (const each of undo) each();
  }
}

/** Measures. */
export async function quota(args: readonly string[]): Promise<{
  readonly result: { readonly passed: boolean; readonly lines: readonly Line[] };
  readonly rows: readonly (readonly string[])[];
}> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args: [...args], options: { share: text, collectors: text, rounds: text, seconds: text } });
  const of = (name: keyof Options, otherwise: number): number => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new TypeError(`--${name}: expected a number above 0, got ${values[name]}`);
    return value;
  };
  const options = { share: of('share', 0.2), collectors: of('collectors', 4), rounds: of('rounds', 15), seconds: of('seconds', 2) };
  const lines = await withCluster((cluster) => linesOf(cluster, options));
  const title = [`${options.collectors} collectors, ${options.share} of a core each`, 'measured', 'target', ''];
  return { result: { passed: lines.every(holds), lines }, rows: [title, ...lines.map(rowOf)] };
}
