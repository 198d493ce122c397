/** Ids and days: an id on another day is another batch, and with other bytes on its day a conflict, also across kills of a collector. */

import { dayNumber } from '@murmuration/shared';
import { bodyOf, countsOf } from '../cells.ts';
import { Connection, report } from '../connection.ts';
import { failuresOf, type Outcome, sleep } from '../outcome.ts';
import { withCluster } from './cluster.ts';

/** Ids of a round, and the connections that send them. */
const [IDS, CONNECTIONS] = [400, 8];
/** The batch whose day is the one before, as far from a batch as a day of cells is. */
const A_DAY = 65_536;

const ID = /"batch":"([0-9a-f]{32})"/;
/** The body of a batch of another day, and cell, with the id of batch n. */
const another = (n: number, today: number): string => bodyOf(n + A_DAY, today).replace(ID, `"batch":"${ID.exec(bodyOf(n, today))?.[1]}"`);

/** Sends bodies, each on a connection that is free. Calls back with the status of each; 0 where the connection closed instead. */
async function send(port: number, bodies: readonly string[], answered: (i: number, status: number) => void): Promise<void> {
  const left = bodies.entries();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = new Connection(port);
      for (const [i, body] of left) {
        const status = await connection.send(report(body)).then(
          (answer) => answer.status,
          () => 0,
        );
        answered(i, status);
      }
      connection.close();
    }),
  );
}

/** Sends ids of two days to a collector that is killed meanwhile, this many times, and the same again, and others, to the next one. */
export const idsOfDays = (times: number): Promise<Outcome> =>
  withCluster(async (cluster) => {
    const [failures, today] = [failuresOf(), dayNumber(Date.now())];
    let acknowledged = 0;
    for (let round = 0; round < times; round++) {
      const ns = Array.from({ length: IDS }, (_, i) => round * IDS + i);
      const bodies = ns.flatMap((n) => [bodyOf(n, today), another(n, today)]);
      const first = await cluster.serve(`first-${round}`);
      let heard = 0;
      const sending = send(first.port, bodies, (_, status) => {
        if (status === 204) heard++;
        else if (status !== 0) failures.add('an id on another day is not another batch', `${status}`);
      });
      while (heard < 20) await sleep(1);
      await sleep(Math.random() * 100);
      await first.stop('SIGKILL');
      await sending;
      acknowledged += heard;
      const next = await cluster.serve(`next-${round}`);
      const expectAll = (all: readonly string[], expected: number, kind: string): Promise<void> =>
        send(next.port, all, (_, status) => {
          if (status !== expected) failures.add(kind, `${status} in place of ${expected}`);
        });
      await expectAll(bodies, 204, 'what was sent before is not acknowledged');
      await expectAll(
        bodies.map((body) => `${body} `),
        409,
        'an id with other bytes on its day is no conflict',
      );
      await next.stop('SIGTERM');
    }
    const store = await cluster.open();
    const { symbol, bits } = await countsOf(store, A_DAY + times * IDS, today);
    const wrong = symbol.filter((count, n) => {
      const expected = n % A_DAY < times * IDS ? 1 : 0;
      return count !== expected || bits[n] !== expected;
    });
    if (wrong.length > 0) failures.add('batches are not there exactly once', `${wrong.length} of them`);
    await store.close();
    return {
      fault: 'one id on two days, and kill -9',
      tried: `${times} kills, ${times * IDS} ids, each on two days`,
      seen: `${acknowledged} acknowledged before the kills; each of ${2 * times * IDS} counted once, as many conflicts`,
      failures: failures.list(),
    };
  });
