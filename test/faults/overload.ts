/** Three times what the collector can take, in an open loop: what comes does not wait for answers to what came before. */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dayNumber } from '@murmuration/shared';
import { describe, isExact, judge, openStore } from './cells.ts';
import { Connection } from './connection.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep } from './outcome.ts';
import { serve, withFolder } from './server.ts';

/** Clients of the closed loop that finds the peak, and the most connections of the open one. */
const CLIENTS = 1_024;
const CONNECTIONS = 6_000;
/** So many requests follow one another on a connection: a write each would cost the clients' core more than the collector's. */
const BURST = 8;
/** The collector has a core to itself, where there are two: else its clients would take from it what they measure. */
const core = (): string => /Cpus_allowed_list:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
const pinned = (): readonly string[] => (availableParallelism() > 1 ? ['taskset', '-c', core()] : []);

/** Sends `rate` batches a second for so many seconds, whatever becomes of them, over connections that wait for nothing. Gives how many were sent, and acknowledged in time. */
async function offer(
  port: number,
  devices: Devices,
  rate: number,
  seconds: number,
): Promise<{ readonly offered: number; readonly within: number }> {
  const idle: Connection[] = [];
  let [offered, open, within] = [0, 0, 0];
  const begun = performance.now();
  const end = begun + seconds * 1_000;
  const burst = async (): Promise<void> => {
    let connection = idle.pop();
    while (connection?.closed) connection = idle.pop();
    if (connection === undefined) {
      open++;
      connection = new Connection(port);
      connection.socket.once('close', () => open--);
    }
    connection.socket.cork();
    const sent = Array.from({ length: BURST }, () => devices.send(connection, devices.next()));
    connection.socket.uncork();
    for (const status of sent) if ((await status) === 204 && performance.now() < end) within++;
    if (!connection.closed && !connection.socket.destroyed) idle.push(connection);
  };
  const bursts: Promise<void>[] = [];
  for (let now = begun; now < end; now = performance.now()) {
    for (const due = ((now - begun) / 1_000) * rate; offered < due && (idle.length > 0 || open < CONNECTIONS); offered += BURST)
      bursts.push(burst());
    await sleep(1);
  }
  await Promise.race([Promise.all(bursts), sleep(30_000)]);
  for (const connection of idle) connection.close();
  return { offered, within };
}

/** Finds the peak and offers three times as much, for so many seconds each. `least`: the part of the peak that must remain. */
export const overload = (seconds: number, least: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, devices, data] = [failuresOf(), new Devices(dayNumber(Date.now())), `${folder}/data`];
    const server = await serve(data, { under: pinned() });
    const measure = async (): Promise<number> => {
      const [before, begun] = [devices.acknowledgements, performance.now()];
      await devices.load(server.port, CLIENTS, () => performance.now() < begun + seconds * 1_000);
      return (devices.acknowledgements - before) / ((performance.now() - begun) / 1_000);
    };
    await measure(); // warm
    const peak = await measure();
    devices.statuses.clear();
    const { offered, within } = await offer(server.port, devices, 3 * peak, seconds);
    const statuses = new Map(devices.statuses);
    const goodput = within / seconds;
    const after = await measure();
    await devices.settle(server.port);
    await server.stop('SIGTERM');

    // A connection that closes is no answer: its batches go again.
    for (const [status, times] of statuses)
      if (![0, 204, 503].includes(status)) failures.add('an unexpected status', `${times} x ${status}`);
    if (devices.withoutRetryAfter > 0) failures.add('a 503 without Retry-After', `${devices.withoutRetryAfter} times`);
    if (goodput < least * peak) failures.add('goodput fell', `${Math.round(goodput)} a second of ${Math.round(peak)}`);
    const store = await openStore(data);
    const verdict = await judge(store, devices.acknowledged, devices.today);
    await store.close();
    if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));
    return {
      fault: '3 times overload, open loop',
      tried: `peak ${Math.round(peak)} a second, offered ${Math.round(offered / seconds)} for ${seconds} s`,
      seen: `goodput ${Math.round((100 * goodput) / peak)} % of peak, ${statuses.get(503) ?? 0} x 503, ${statuses.get(0) ?? 0} x closed; ${describe(verdict)}; then ${Math.round(after)} a second`,
      failures: failures.list(),
    };
  });
