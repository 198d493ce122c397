/** What faults of the database have in common: collectors under load, and the count of every batch afterwards. */

import { dayNumber } from '@murmuration/shared';
import { describe, isExact, judge, type Verdict } from '../cells.ts';
import { Devices } from '../load.ts';
import { failuresOf, sleep } from '../outcome.ts';
import type { Server } from '../server.ts';
import type { Cluster } from './cluster.ts';

/** A run with devices, whose batches are judged. */
export interface Run {
  readonly devices: Devices;
  readonly failures: ReturnType<typeof failuresOf>;
  /** Puts collectors under load. Returns what ends the load. */
  readonly load: (servers: readonly Pick<Server, 'port'>[], clients: number) => () => Promise<void>;
  /** Waits until so many more batches are acknowledged than now. */
  readonly acknowledged: (more: number, milliseconds?: number) => Promise<void>;
  /** Sends what is not acknowledged until it is, and judges all of it. */
  readonly settle: (server: Pick<Server, 'port'>) => Promise<Verdict>;
}

/** Begins a run on a server. `more` are statuses that devices may get besides the usual ones. */
export function beginRun(cluster: Pick<Cluster, 'open' | 'url'>, url: string = cluster.url, more: readonly number[] = []): Run {
  const devices = new Devices(dayNumber(Date.now()));
  const failures = failuresOf();
  return {
    devices,
    failures,
    load: (servers, clients) => {
      let isOn = true;
      const loads = servers.map((server) => devices.load(server.port, clients, () => isOn));
      return async () => {
        isOn = false;
        await Promise.all(loads);
      };
    },
    acknowledged: async (more, milliseconds = 60_000) => {
      const [before, end] = [devices.acknowledgements, performance.now() + milliseconds];
      while (devices.acknowledgements < before + more && performance.now() < end) await sleep(5);
      if (devices.acknowledgements < before + more)
        failures.add(
          'a collector did not go on by itself',
          `${devices.acknowledgements - before} of ${more} acknowledged in ${milliseconds / 1_000} s`,
        );
    },
    settle: async (server) => {
      await devices.settle(server.port);
      if (devices.acknowledged.includes(0)) failures.add('a batch was never acknowledged');
      if (devices.withoutRetryAfter > 0) failures.add('a 503 without Retry-After', `${devices.withoutRetryAfter} of them`);
      for (const [status, count] of devices.statuses)
        if (![0, 204, 503, 507, ...more].includes(status)) failures.add('an unexpected status', `${count} x ${status}`);
      const store = await cluster.open(url);
      for (const state of ['as it is', 'folded']) {
        const verdict = await judge(store, devices.acknowledged, devices.today);
        if (!isExact(verdict)) failures.add('batches are not there exactly once', `${state}: ${describe(verdict)}`);
        await store.fold();
      }
      const verdict = await judge(store, devices.acknowledged, devices.today);
      await store.close();
      return verdict;
    },
  };
}

/** How often devices were answered otherwise than 204. */
export const refusedTo = ({ statuses }: Devices): string =>
  [...statuses]
    .filter(([status]) => status !== 204)
    .map(([status, count]) => `${count} x ${status === 0 ? 'closed' : status}`)
    .join(', ') || 'nothing refused';
