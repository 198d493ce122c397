/** SIGTERM under load: accepted requests are answered, acknowledged batches are stored, and the process ends on its own. */

import { DatabaseSync } from 'node:sqlite';
import { dayNumber } from '@murmuration/shared';
import { bodyOf, describe, isExact, judge, openStore } from './cells.ts';
import { Connection, report } from './connection.ts';
import { Devices, TOO_LATE } from './load.ts';
import { failuresOf, type Outcome, sleep, until } from './outcome.ts';
import { serve, withFolder } from './server.ts';

/**
 * Requests that have reached the system of a collector that can't commit them yet. Each must be answered 204 after the signal, whether or
 * not the collector has read it before.
 */
async function held(data: string, requests: number, today: number, add: (kind: string, detail?: string) => void): Promise<Uint8Array> {
  const server = await serve(data);
  const acknowledged = new Uint8Array(requests);
  const holder = new DatabaseSync(`${data}/murmuration.sqlite`);
  holder.exec('BEGIN IMMEDIATE');
  const connections = Array.from({ length: requests }, () => new Connection(server.port));
  const answers = connections.map(async (connection, n) => {
    const answer = await connection.send(report(bodyOf(n, today))).catch(() => undefined);
    if (answer?.status === 204) acknowledged[n] = 1;
    else add('an accepted request was not acknowledged', `${answer?.status ?? 'closed'}`);
  });
  const isSent = ({ socket }: Connection): boolean => !socket.connecting && socket.writableLength === 0;
  if (!(await until(() => connections.every(isSent), 60_000))) add('not all requests could be sent');
  const ended = server.stop('SIGTERM');
  await sleep(300);
  holder.exec('ROLLBACK');
  holder.close();
  await Promise.all(answers);
  if ((await ended) !== 0) add('the collector did not end with 0', `${await ended}`);
  for (const connection of connections) connection.close();
  return acknowledged;
}

/** Drains a collector in which all requests wait, then this many collectors under load. */
export const drains = (times: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, today, requests] = [failuresOf(), dayNumber(Date.now()), 200];
    const acknowledged = await held(`${folder}/held`, requests, today, failures.add);
    const waited = await openStore(`${folder}/held`);
    const verdict = await judge(waited, acknowledged, today);
    await waited.close();
    if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));

    const [data, devices] = [`${folder}/data`, new Devices(today)];
    for (let round = 0; round < times; round++) {
      const server = await serve(data);
      let alive = true;
      const load = devices.load(server.port, 64, () => alive);
      const before = devices.acknowledgements;
      while (devices.acknowledgements < before + 200) await sleep(1);
      await sleep(Math.random() * 100);
      const code = await server.stop('SIGTERM');
      alive = false;
      await load;
      if (code !== 0) failures.add('the collector did not end with 0', `${code}`);
    }
    const store = await openStore(data);
    const end = await judge(store, devices.acknowledged, today);
    await store.close();
    if (!isExact(end)) failures.add('batches are not there exactly once', describe(end));
    if (end.unheard > 0) failures.add('a batch was counted and not acknowledged', `${end.unheard} batches`);
    for (const [status, count] of devices.statuses)
      if (![204, 503, ...TOO_LATE].includes(status)) failures.add('an unexpected status', `${count} x ${status}`);
    return {
      fault: 'SIGTERM under load',
      tried: `${requests} accepted requests held at the signal; ${times} signals under 64 clients`,
      seen: `held: ${verdict.acknowledged} acknowledged; ${describe(end)}, ${end.unheard} counted without an answer`,
      failures: failures.list(),
    };
  });
