/** A primary that dies under load, and its synchronous standby, which takes its place. */

import { execute, urlOf } from '../../setup/postgres-server.ts';
import { describe } from '../cells.ts';
import { type Outcome, sleep } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';
import { startProxy } from './proxy.ts';
import { withStandby } from './standby.ts';

/** Kills a primary under two collectors, and promotes its standby. Returns what went wrong, and what was seen. */
const failover = (): Promise<{ readonly failures: readonly string[]; readonly seen: string }> =>
  withCluster((cluster) =>
    withStandby(cluster, async (port) => {
      const proxy = await startProxy(cluster.url);
      try {
        const run = beginRun(cluster, urlOf(port, 'faults'));
        const servers = await Promise.all(['one', 'other'].map((name) => cluster.serve(name, proxy.url)));
        const end = run.load(servers, 24);
        await run.acknowledged(300);
        await sleep(Math.random() * 250);
        await cluster.stop('SIGKILL');
        proxy.lead(port); // to a standby at first, which refuses what writes
        await sleep(Math.random() * 1_000);
        await execute(urlOf(port, 'postgres'), 'SELECT pg_promote()');
        await run.acknowledged(300);
        await end();
        const verdict = await run.settle(servers[0] as (typeof servers)[number]);
        await Promise.all(servers.map((server) => server.stop('SIGTERM')));
        return { failures: run.failures.list(), seen: `${describe(verdict)}; ${refusedTo(run.devices)}` };
      } finally {
        await proxy.close();
      }
    }),
  );

export async function failovers(times: number): Promise<Outcome> {
  const failures: string[] = [];
  const seen: string[] = [];
  for (let round = 0; round < times; round++) {
    const one = await failover();
    failures.push(...one.failures);
    seen.push(one.seen);
  }
  return {
    fault: 'promotion of a synchronous standby',
    tried: `${times} primaries killed under two collectors, 48 clients`,
    seen: seen.join('; '),
    failures,
  };
}
