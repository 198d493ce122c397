/** A primary that dies under load, and its synchronous standby, which takes its place. */

import { rmSync } from 'node:fs';
import { copyServer, execute, freePort, spawnServer, untilReady, urlOf } from '../../setup/postgres-server.ts';
import { describe } from '../cells.ts';
import { type Outcome, sleep, until } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { SETTINGS, withCluster } from './cluster.ts';
import { startProxy } from './proxy.ts';

/** Kills a primary under two collectors, and promotes its standby. Returns what went wrong, and what was seen. */
const failover = (): Promise<{ readonly failures: readonly string[]; readonly seen: string }> =>
  withCluster(async (cluster) => {
    const [folder, port] = [copyServer(cluster.port), await freePort()];
    const standby = spawnServer(folder, port, SETTINGS);
    const proxy = await startProxy(cluster.url);
    try {
      await untilReady(port, standby);
      await execute(cluster.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await execute(cluster.url, 'SELECT pg_reload_conf()');
      const isSynchronous = async (): Promise<boolean> =>
        (await execute(cluster.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0;
      const run = beginRun(cluster, urlOf(port, 'faults'));
      if (!(await until(isSynchronous, 30_000))) run.failures.add('the standby is not synchronous');
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
      standby.kill('SIGQUIT');
      await until(() => standby.exitCode !== null || standby.signalCode !== null, 30_000);
      rmSync(folder, { recursive: true });
    }
  });

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
