/** A store that moves from a folder to the database under load, with the mover killed again and again. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { bin } from '../../setup/command.ts';
import { bodyOf, describe } from '../cells.ts';
import { Connection, report } from '../connection.ts';
import { type Outcome, sleep } from '../outcome.ts';
import { serve } from '../server.ts';
import { beginRun, refusedTo } from './check.ts';
import { withCluster } from './cluster.ts';

/** The longest time in milliseconds until a mover is killed: it begins after half a second or so, and ends soon after. */
const LONGEST = 800;

/** Resolves to what a mover printed, and its exit code; null when it was killed. */
async function ended(child: ChildProcess): Promise<readonly [code: number | null, printed: string]> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, printed];
}

/** Moves a store, with so many kills of the copies ahead, and of the move itself. */
export const movesKilled = (times: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const run = beginRun(cluster);
    const data = join(cluster.folder, 'moved');
    const move = (...args: readonly string[]): ChildProcess =>
      spawn(
        process.execPath,
        [bin, 'migrate', '--from', 'sqlite', '--to', 'postgres', '--data', data, '--postgres', cluster.url, ...args],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
    let kills = 0;
    const killed = async (child: ChildProcess): Promise<void> => {
      const end = ended(child);
      await Promise.race([end, sleep(Math.random() * LONGEST)]);
      if (child.exitCode === null) kills += child.kill('SIGKILL') ? 1 : 0;
      const [code, printed] = await end;
      if (code !== null && code !== 0) run.failures.add('a move failed', printed);
    };
    const former = await serve(data);
    const endLoad = run.load([former], 32);
    for (let round = 0; round < times; round++) {
      await run.acknowledged(100);
      await killed(move('--ahead'));
    }
    const [aheadCode, ahead] = await ended(move('--ahead'));
    if (aheadCode !== 0) run.failures.add('the copy ahead failed', ahead);
    await run.acknowledged(100);
    const pause = performance.now();
    await former.stop('SIGTERM');
    await endLoad();
    for (let round = 0; round < times; round++) await killed(move());
    const start = performance.now();
    const [code, printed] = await ended(move());
    if (code !== 0) run.failures.add('the move failed', printed);
    const seconds = (performance.now() - start) / 1_000;
    const server = await cluster.serve('next');
    const total = (performance.now() - pause) / 1_000;
    const known = run.devices.begun;
    const endNext = run.load([server], 32);
    await run.acknowledged(200);
    await endNext();
    // Devices whose acknowledgement was lost send the same batch again.
    const connection = new Connection(server.port);
    let again = 0;
    for (let n = 0; n < known; n += 7, again++) {
      const { status } = await connection.send(report(bodyOf(n, run.devices.today)));
      if (status !== 204) run.failures.add('a batch that came again was not acknowledged', `${status}`);
    }
    connection.close();
    const verdict = await run.settle(server);
    return {
      fault: 'kill -9 of migrate',
      tried: `${2 * times} moves under a collector with 32 clients, ${kills} killed; ${again} batches sent again after it`,
      seen: `${describe(verdict)}; ${refusedTo(run.devices)}; the last move took ${seconds.toFixed(1)} s of the ${total.toFixed(1)} s without a collector`,
      failures: run.failures.list(),
    };
  });
