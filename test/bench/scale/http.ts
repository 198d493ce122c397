/** Batches over HTTP: what one collector on PostgreSQL takes, and two, beside one with its own SQLite, in the same minutes. */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Cluster, withCluster } from '../../faults/postgres/cluster.ts';
import { median } from '../../kit/quantile.ts';
import { closedLoop } from '../ingest/load.ts';
import { type ServerProcess, startServer, withFolder } from '../ingest/process.ts';
import { type BatchSize, requests } from '../ingest/requests.ts';
import type { Line } from '../lines.ts';

/** Cores on which two collectors, their database and the load have room beside each other. */
const ENOUGH = 6;

/** Warm rounds come first, until the code that runs once a flush is compiled, as it is in a server that runs for days. */
const [SECONDS, ROUNDS, WARMING, CONNECTIONS] = [2, 7, 4, 256];

/** Clock ticks a second, as `/proc` counts. */
const TICKS = 100;

/** CPU seconds of a database: of its processes, and of those that have ended. */
function cpuOf(cluster: Cluster): number {
  const ticks = cluster.processes().map((pid, i) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return user + system + (i === 0 ? endedUser + endedSystem : 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS;
}

/** What a run took. */
interface Run {
  readonly perSecond: number;
  /** CPU seconds of collectors and of the database. */
  readonly collectors: number;
  readonly database: number;
}

/** One run: each server has its part of the connections. CPU seconds are those of a million reports. */
async function measure(servers: readonly ServerProcess[], next: () => Buffer, size: BatchSize, cluster: Cluster): Promise<Run> {
  const usage = async (): Promise<number> =>
    (await Promise.all(servers.map((server) => server.usage()))).reduce((sum, { cpu }) => sum + cpu, 0);
  const [before, base] = [await usage(), cpuOf(cluster)];
  const loads = await Promise.all(servers.map(({ port }) => closedLoop(port, CONNECTIONS / servers.length, next, SECONDS)));
  const [after, end] = [await usage(), cpuOf(cluster)];
  const acknowledged = loads.reduce((sum, load) => sum + load.acknowledged, 0);
  if (loads.some(({ refused }) => refused > 0)) throw new Error('expected every request to be acknowledged');
  const millions = (acknowledged * size) / 1e6;
  return {
    perSecond: acknowledged / Math.max(...loads.map(({ seconds }) => seconds)),
    collectors: (after - before) / millions,
    database: (end - base) / millions,
  };
}

/** What each kind of collector took. */
const overHttp = (size: BatchSize): Promise<readonly Line[]> =>
  withCluster((cluster) =>
    withFolder(async (folder) => {
      const next = await requests(size);
      const started: ServerProcess[] = [];
      const start = async (kind: string, place: string): Promise<ServerProcess> => {
        const server = await startServer(kind, place);
        started.push(server);
        return server;
      };
      try {
        const sqlite = await start('collector', `${folder}/sqlite`);
        const [one, other] = [await start('postgres', cluster.url), await start('postgres', cluster.url)];
        const kinds = { sqlite: [sqlite], one: [one], two: [one, other] } as const;
        const runs: { readonly [kind in keyof typeof kinds]: Run[] } = { sqlite: [], one: [], two: [] };
        for (let round = -WARMING; round < ROUNDS; round++)
          for (const kind of ['sqlite', 'one', 'two'] as const) {
            const run = await measure(kinds[kind], next, size, cluster);
            if (round >= 0) runs[kind].push(run);
          }
        const of = (kind: keyof typeof kinds, what: keyof Run): number => median(runs[kind].map((run) => run[what]));
        const name = `${size} ${size === 1 ? 'report' : 'reports'} a request, ${availableParallelism()} cores`;
        const cpu = 'CPU s a million reports';
        return [
          { what: `${name}: SQLite`, measured: of('sqlite', 'perSecond'), unit: 'requests a second' },
          { what: `${name}: PostgreSQL`, measured: of('one', 'perSecond'), unit: 'requests a second' },
          {
            what: `${name}: PostgreSQL`,
            measured: of('one', 'perSecond') / of('sqlite', 'perSecond'),
            unit: 'of SQLite',
            ...(size === 10 && { target: { atLeast: 0.6 } }),
          },
          {
            what: `${name}: two on PostgreSQL`,
            measured: of('two', 'perSecond') / of('one', 'perSecond'),
            unit: 'of one',
            ...(size === 10 && availableParallelism() >= ENOUGH && { target: { atLeast: 1.6 } }),
          },
          { what: `${name}: SQLite's collector`, measured: of('sqlite', 'collectors'), unit: cpu },
          { what: `${name}: PostgreSQL's collector`, measured: of('one', 'collectors'), unit: cpu },
          { what: `${name}: its database`, measured: of('one', 'database'), unit: cpu },
        ];
      } finally {
        for (const server of started) await server.stop();
      }
    }),
  );

/** Measures both sizes. */
export const http = async (): Promise<readonly Line[]> => [...(await overHttp(10)), ...(await overHttp(1))];
