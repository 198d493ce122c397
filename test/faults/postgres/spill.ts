/** A database that is away under collectors with a spill, of which one is killed before it is back. */

import { bodyOf, describe } from '../cells.ts';
import { Connection, report } from '../connection.ts';
import { type Outcome, until } from '../outcome.ts';
import type { Server } from '../server.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';

const isReady = async ({ port }: Server): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Batches that are acknowledged each time while the database is away. */
const AWAY = 300;

/** Stops the database this many times, kills one of two collectors meanwhile, and starts both again. */
export const spills = (times: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const open = (name: string): Promise<Server> =>
      cluster.serve(name, cluster.url, { args: ['--spill', `${cluster.folder}/${name}.spill`] });
    const steady = await open('steady');
    let other = await open('other');
    let [spilled, again] = [0, 0];
    for (let round = 0; round < times; round++) {
      const endSteady = run.load([steady], 16);
      let endOther = run.load([other], 16);
      await run.acknowledged(200);
      await cluster.stop(round % 2 === 0 ? 'SIGKILL' : 'SIGQUIT');
      const before = run.devices.begun;
      await run.acknowledged(AWAY);
      spilled += AWAY;
      await other.stop('SIGKILL');
      await endOther();
      await run.acknowledged(20); // by the steady one
      if (await isReady(steady)) run.failures.add('a collector is ready with batches in its spill');
      await cluster.start();
      other = await open('other');
      // Some devices have got no answer, and send the same batches to the other collector while the spills are forwarded.
      const connection = new Connection(other.port);
      for (let n = before; n < before + 50; n++, again++) await connection.send(report(bodyOf(n, run.devices.today)));
      connection.close();
      endOther = run.load([other], 16);
      await run.acknowledged(200);
      await endSteady();
      await endOther();
      for (const server of [steady, other])
        if (!(await until(() => isReady(server), 60_000))) run.failures.add('a spill was not emptied', server.logs().slice(-500));
    }
    const verdict = await run.settle(steady);
    return {
      fault: 'database away, with a spill, and kill -9',
      tried: `${times} times under two collectors, 32 clients: at least ${spilled} batches acknowledged meanwhile, one collector killed each time, ${again} batches sent to both`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}`,
      failures: run.failures.list(),
    };
  });
