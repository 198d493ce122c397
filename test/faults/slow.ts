/** Slow clients: headers and bodies sent one byte a second, and idle connections. Other clients must not be affected. */

import { readFileSync } from 'node:fs';
import { dayNumber } from '@murmuration/shared';
import { bodyOf, CAPACITY } from './cells.ts';
import { type Answer, Connection, report } from './connection.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep, until } from './outcome.ts';
import { serve, withFolder } from './server.ts';

/** Milliseconds after which the collector closes an idle connection (TIMEOUTS of collector/src/server/http/server.ts). */
const IDLE = 10_000;

/** The number of files that a process may open here. */
const openable = (): number => Number(/Max open files\s+\S+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1_024);

/** Sends a request one byte a second, from an offset on. */
function drip(
  port: number,
  request: Buffer,
  from: number,
): { readonly connection: Connection; readonly answer: Promise<Answer | undefined>; readonly stop: () => void } {
  const connection = new Connection(port);
  const answer = connection.send(request.subarray(0, from)).catch(() => undefined);
  let at = from;
  const timer = setInterval(() => {
    if (!connection.closed && !connection.socket.destroyed) connection.socket.write(request.subarray(at, ++at));
  }, 1_000);
  const stop = (): void => {
    clearInterval(timer);
    connection.close();
  };
  return { connection, answer, stop };
}

/**
 * This many clients of each slow kind and idle connections, beside a load of batches. If `patience` is given, each slow client must be
 * closed within this many seconds.
 */
export const slowClients = (slow: number, idle: number, batches: number, patience?: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, today] = [failuresOf(), dayNumber(Date.now())];
    const server = await serve(`${folder}/data`);
    const request = report(bodyOf(CAPACITY - 1, today));
    const body = request.indexOf('\r\n\r\n') + 4;
    const drips = Array.from({ length: 2 * slow }, (_, i) => drip(server.port, request, i % 2 === 0 ? 10 : body + 10));
    const count = Math.min(idle, openable() - 2 * slow - 200);
    const idlers: Connection[] = [];
    let turnedAway = 0;
    const idler = (): Connection => {
      const [connection, from] = [new Connection(server.port), performance.now()];
      // May happen early: on a busy machine the collector may end connections whose time is over while others are still being opened.
      connection.socket.once('close', () => {
        if (!isOver && performance.now() < from + IDLE) turnedAway++;
      });
      return connection;
    };
    let isOver = false;
    while (idlers.length < count) {
      idlers.push(...Array.from({ length: Math.min(200, count - idlers.length) }, idler));
      await until(() => idlers.every(({ socket }) => !socket.connecting), 60_000);
    }

    const devices = new Devices(today);
    const begun = performance.now();
    await devices.load(server.port, 32, () => devices.begun < batches);
    await devices.settle(server.port);
    const rate = devices.acknowledgements / ((performance.now() - begun) / 1_000);
    isOver = true;
    if (turnedAway > 0) failures.add('an idle connection was turned away', `${turnedAway} of ${count}`);
    // A connection that closes without a response (0) may belong to a client that was itself late. Its batch is sent again, and must then
    // be accepted.
    for (const [status, times] of devices.statuses) if (![204, 0].includes(status)) failures.add('others felt it', `${times} x ${status}`);
    if (devices.acknowledged.includes(0)) failures.add('others felt it', 'a batch was never acknowledged');

    let answered = '';
    if (patience !== undefined) {
      const from = performance.now();
      const answers: (Answer | undefined)[] = [];
      for (const { answer } of drips) void answer.then((given) => answers.push(given));
      await until(() => answers.length === drips.length, patience * 1_000);
      const timeouts = answers.filter((answer) => answer?.status === 408).length;
      answered = `; ${timeouts} of ${drips.length} slow ones answered 408 within ${Math.round((performance.now() - from) / 1_000)} s`;
      if (timeouts < drips.length) failures.add('a slow client was not answered 408', `${drips.length - timeouts} of ${drips.length}`);
    }
    for (const { stop } of drips) stop();
    for (const connection of idlers) connection.close();
    await sleep(50);
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not stop well');
    return {
      fault: 'slow and idle clients',
      tried: `${slow} slow headers, ${slow} slow bodies, ${count} idle connections`,
      seen: `others: ${devices.acknowledgements} of ${batches} acknowledged, ${Math.round(rate)} a second${answered}`,
      failures: failures.list(),
    };
  });
