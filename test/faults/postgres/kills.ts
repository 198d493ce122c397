/** Kills and stops under load: of collectors, of the database, and for a while. */

import { describe } from '../cells.ts';
import { type Outcome, sleep } from '../outcome.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';

/** Kills one of two collectors at a random moment, this many times. The other goes on. */
export const collectorKills = (times: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const steady = await cluster.serve('steady');
    const end = run.load([steady], 16);
    for (let round = 0; round < times; round++) {
      const server = await cluster.serve(`killed-${round}`);
      const endOne = run.load([server], 32);
      await run.acknowledged(100);
      await sleep(Math.random() * 250);
      await server.stop('SIGKILL');
      await endOne();
      await run.acknowledged(20); // by the other one
    }
    await end();
    const verdict = await run.settle(steady);
    return {
      fault: 'kill -9 of a collector',
      tried: `${times} kills of one of two collectors on one database, 48 clients`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
      failures: run.failures.list(),
    };
  });

/** Ends the database under two collectors, this many times, and starts it again a moment later. */
export const serverKills = (times: number, signal: 'SIGKILL' | 'SIGQUIT'): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const servers = await Promise.all(['one', 'other'].map((name) => cluster.serve(name)));
    const end = run.load(servers, 24);
    for (let round = 0; round < times; round++) {
      await run.acknowledged(200);
      await sleep(Math.random() * 250);
      await cluster.stop(signal);
      await sleep(Math.random() * 2_500); // beyond the collector's own tries, now and then
      await cluster.start();
      await run.acknowledged(50);
    }
    await end();
    const [server] = servers as [(typeof servers)[number]];
    const verdict = await run.settle(server);
    return {
      fault: signal === 'SIGKILL' ? 'kill -9 of the postmaster' : 'pg_ctl stop -m immediate',
      tried: `${times} times under two collectors, 48 clients`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
      failures: run.failures.list(),
    };
  });

/** Holds processes for longer than any time limit: the database's first, then those of one of two collectors. */
export const holds = (seconds: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const [one, other] = await Promise.all([cluster.serve('one'), cluster.serve('other')]);
    const end = run.load([one, other], 24);
    await run.acknowledged(200);
    const hold = async (processes: readonly number[], meanwhile: () => Promise<void>): Promise<void> => {
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      await Promise.all([sleep(seconds * 1_000), meanwhile()]);
      for (const pid of processes) process.kill(pid, 'SIGCONT');
    };
    await hold(cluster.processes(), async () => undefined);
    await run.acknowledged(200);
    await hold([one.pid], () => run.acknowledged(200, seconds * 1_000)); // the other collector goes on meanwhile
    await run.acknowledged(200);
    await end();
    const verdict = await run.settle(one);
    return {
      fault: 'SIGSTOP for longer than the time limits',
      tried: `all processes of the database, then one of two collectors, ${seconds} s each, 48 clients`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
      failures: run.failures.list(),
    };
  });
