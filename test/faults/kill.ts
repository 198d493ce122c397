/**
 * kill -9 at random moments under load. Unacknowledged batches are sent again, so this checks that none counted before the kill counts
 * twice.
 */

import { dayNumber } from '@murmuration/shared';
import { describe, isExact, judge, openStore, type Verdict } from './cells.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep } from './outcome.ts';
import { serve, withFolder } from './server.ts';

/** Kills a collector this many times. */
export const kills = (times: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const failures = failuresOf();
    const data = `${folder}/data`;
    const devices = new Devices(dayNumber(Date.now()));
    let unheard = 0;
    const check = async (moment: string): Promise<Verdict> => {
      const store = await openStore(data);
      const verdict = await judge(store, devices.acknowledged, devices.today);
      await store.close();
      if (!isExact(verdict)) failures.add('batches are not there exactly once', `${moment}: ${describe(verdict)}`);
      unheard += verdict.unheard;
      return verdict;
    };
    for (let round = 0; round < times; round++) {
      const server = await serve(data);
      let alive = true;
      const before = devices.acknowledgements;
      const load = devices.load(server.port, 64, () => alive);
      while (devices.acknowledgements < before + 20) await sleep(1); // under load, then at a random moment
      await sleep(Math.random() * 250);
      await server.stop('SIGKILL');
      alive = false;
      await load;
      if (round % 2 === 0) await check(`after kill ${round + 1}`); // otherwise the next collector is the first to open the store
    }
    const server = await serve(data);
    await devices.settle(server.port);
    await server.stop('SIGTERM');
    if (devices.acknowledged.includes(0)) failures.add('a batch was never acknowledged');
    const verdict = await check('in the end');
    return {
      fault: 'kill -9 under load',
      tried: `${times} kills, 64 clients`,
      seen: `${describe(verdict)}; ${unheard} seen whose acknowledgement the kill took`,
      failures: failures.list(),
    };
  });
