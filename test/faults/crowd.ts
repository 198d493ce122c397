/**
 * A crowd of clients connects while the collector can't accept, as when it is busy for a moment. All wait in the accept queue, and none is
 * reset.
 */

import { readFileSync } from 'node:fs';
import { dayNumber } from '@murmuration/shared';
import { describe, isExact, judge, openStore } from './cells.ts';
import { Connection } from './connection.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, until } from './outcome.ts';
import { serve, withFolder } from './server.ts';

const MOST = 4_000;

/** The reason why such a crowd can't wait here; undefined when it can. */
export function noCrowd(): string | undefined {
  if (process.platform !== 'linux') return 'it reads /proc, which Linux has';
  const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  return most >= MOST ? undefined : `the system lets ${most} connections wait (net.core.somaxconn), not ${MOST}`;
}

/** This many clients (at most 4,000) connect to a stopped process, each with a batch. Then the process continues. */
export const crowd = (size: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, devices, data] = [failuresOf(), new Devices(dayNumber(Date.now())), `${folder}/data`];
    const server = await serve(data);
    process.kill(server.pid, 'SIGSTOP');
    const connections = Array.from({ length: size }, () => new Connection(server.port));
    const answers = connections.map((connection) => devices.send(connection, devices.next()));
    const waiting = (): number => connections.filter(({ closed, socket }) => !closed && !socket.connecting).length;
    await until(() => waiting() === size, 60_000);
    const connected = waiting();
    if (connected < size) failures.add('not all could wait', `${connected} of ${size}`);
    process.kill(server.pid, 'SIGCONT');
    await Promise.all(answers);
    for (const connection of connections) connection.close();
    for (const [status, times] of devices.statuses)
      if (status !== 204) failures.add('an unexpected answer', `${times} x ${status || 'closed'}`);
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not stop well');
    const store = await openStore(data);
    const verdict = await judge(store, devices.acknowledged, devices.today);
    await store.close();
    if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));
    return {
      fault: 'a crowd that connects at once',
      tried: `${size} connections while the process was stopped`,
      seen: `${connected} could wait; then ${describe(verdict)}`,
      failures: failures.list(),
    };
  });
