/** A synchronous standby that never confirms: the primary takes connections and reads, and no commit returns. */

import { execute } from '../../setup/postgres-server.ts';
import { describe } from '../cells.ts';
import { type Outcome, sleep, until } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';

/** Commits that may wait at once: those of both collectors that had begun, and one of each that tries whether the database answers. */
const MOST_WAITING = 12;

/** Lets no commit return for so many seconds, under two collectors. */
export const stuckStandby = (seconds: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const servers = await Promise.all(['one', 'other'].map((name) => cluster.serve(name)));
    const end = run.load(servers, 24);
    await run.acknowledged(200);
    await execute(cluster.url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await execute(cluster.url, 'SELECT pg_reload_conf()');
    if (!(await until(() => run.devices.statuses.has(503), 60_000))) run.failures.add('nothing was refused with 503');
    let most = 0;
    for (const stop = performance.now() + seconds * 1_000; performance.now() < stop; await sleep(500)) {
      const [[waiting] = []] = await execute(cluster.url, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
      most = Math.max(most, Number(waiting));
    }
    if (most > MOST_WAITING) run.failures.add('commits that wait pile up', `${most}`);
    await execute(cluster.url, 'ALTER SYSTEM RESET synchronous_standby_names');
    await execute(cluster.url, 'SELECT pg_reload_conf()');
    await run.acknowledged(200);
    await end();
    const [server] = servers as [(typeof servers)[number]];
    const verdict = await run.settle(server);
    return {
      fault: 'a standby that never confirms',
      tried: `no commit returned for ${seconds} s after the first 503, under two collectors, 48 clients`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}; at most ${most} commits waited at once`,
      failures: run.failures.list(),
    };
  });
