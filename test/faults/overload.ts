/**
 * Three times the load that a collector can handle, in an open loop: requests do not wait for earlier responses.
 * Its disk is throttled, so that clients can offer more than it can commit even on few cores.
 */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dayNumber } from '@murmuration/shared';
import { describe, isExact, judge, openStore } from './cells.ts';
import { Connection } from './connection.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep } from './outcome.ts';
import { memoryOf, serve, withFolder } from './server.ts';

/** The load, and the collector's limits. */
export interface Overload {
  /** Bytes per second that the collector's disk accepts. */
  readonly bytesPerSecond: number;
  /** Clients of the closed loop that measures the peak. */
  readonly clients: number;
  /** The most connections of the open loop. With a burst each, they must overfill the collector's queue. */
  readonly connections: number;
  /** The duration of each measurement. */
  readonly seconds: number;
  /** The part of the peak that must remain during overload, and again afterwards. */
  readonly least: number;
}

/** A batch is accepted, or refused for lack of room. */
const PROMISED = [204, 503];
/** The offered load as a multiple of the peak, and the least multiple for which the run is meaningful. */
const TIMES = 3;
const LEAST_TIMES = 2.9;
/** The most growth of the collector's memory during overload, in MiB: four times what may be queued, because garbage is collected late. */
const MOST_GROWTH = 384;
/** Requests pipelined on a connection. One write for each would cost the clients' core more than the collector's. */
const BURST = 8;
/** Milliseconds after its last response during which a connection is reused. Servers close idle connections, ours after ten seconds. */
const FRESH = 5_000;
/** The collector gets a core of its own if there are two. Otherwise its clients would take the CPU time that they measure. */
const core = (): string => /Cpus_allowed_list:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
const pinned = (): readonly string[] => (availableParallelism() > 1 ? ['taskset', '-c', core()] : []);

/** The results of the open loop, per second. */
interface Offered {
  readonly offered: number;
  /** Acknowledged before the end. */
  readonly goodput: number;
}

/** Sends so many a second, whatever the results, over connections that wait for nothing. Then waits for the last responses. */
async function offer(port: number, devices: Devices, rate: number, connections: number, seconds: number): Promise<Offered> {
  const idle: { readonly connection: Connection; readonly since: number }[] = [];
  const reused = (): Connection | undefined => {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (!last.connection.closed && performance.now() < last.since + FRESH) return last.connection;
      last.connection.close();
    }
    return undefined;
  };
  let [offered, open, within, over] = [0, 0, 0, false];
  const burst = async (): Promise<void> => {
    let connection = reused();
    if (connection === undefined) {
      open++;
      connection = new Connection(port);
      connection.socket.once('close', () => open--);
    }
    connection.socket.cork();
    const sent = Array.from({ length: BURST }, () => devices.send(connection, devices.next()));
    connection.socket.uncork();
    for (const status of sent) if ((await status) === 204 && !over) within++;
    if (!connection.closed && !connection.socket.destroyed) idle.push({ connection, since: performance.now() });
  };
  const bursts: Promise<void>[] = [];
  const begun = performance.now();
  let elapsed = 0;
  for (; elapsed < 1_000 * seconds; elapsed = performance.now() - begun) {
    for (const due = (rate * elapsed) / 1_000; offered < due && (idle.length > 0 || open < connections); offered += BURST)
      bursts.push(burst());
    await sleep(1);
  }
  over = true;
  await Promise.race([Promise.all(bursts), sleep(30_000)]);
  for (const { connection } of idle) connection.close();
  return { offered: (1_000 * offered) / elapsed, goodput: (1_000 * within) / elapsed };
}

/** Measures the peak, offers three times as much, and measures the peak again. */
export const overload = ({ bytesPerSecond, clients, connections, seconds, least }: Overload): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [failures, devices, data] = [failuresOf(), new Devices(dayNumber(Date.now())), `${folder}/data`];
    const disk = new URL(`./narrow-disk.ts?bytesPerSecond=${bytesPerSecond}`, import.meta.url);
    const server = await serve(data, { under: pinned(), node: ['--import', disk.href] });
    const measure = async (): Promise<number> => {
      const [before, begun] = [devices.acknowledgements, performance.now()];
      await devices.load(server.port, clients, () => performance.now() < begun + seconds * 1_000);
      return (devices.acknowledgements - before) / ((performance.now() - begun) / 1_000);
    };
    await measure(); // warm-up
    const peak = await measure();
    devices.statuses.clear();
    const memory = memoryOf(server.pid);
    const { offered, goodput } = await offer(server.port, devices, TIMES * peak, connections, seconds);
    const [statuses, growth] = [new Map(devices.statuses), memoryOf(server.pid) - memory];
    const after = await measure();
    await devices.settle(server.port);
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not stop well');
    if (server.logs().includes('a request failed')) failures.add('the log has an error', /.*a request failed.*/.exec(server.logs())?.[0]);
    if (devices.acknowledged.includes(0)) failures.add('a batch was never acknowledged');
    if (offered < LEAST_TIMES * peak) failures.add('no overload', `only ${(offered / peak).toFixed(2)} times the peak was offered`);
    if (goodput < least * peak) failures.add('goodput fell', `${Math.round(goodput)} a second of ${Math.round(peak)}`);
    if (after < least * peak) failures.add('the collector did not recover', `${Math.round(after)} a second of ${Math.round(peak)}`);
    const [refused, closed] = [statuses.get(503) ?? 0, statuses.get(0) ?? 0];
    for (const [status, times] of statuses)
      if (!PROMISED.includes(status)) failures.add('an unexpected answer', `${times} x ${status || 'closed'}`);
    if (refused === 0) failures.add('nothing was refused', 'no 503 came');
    if (growth > MOST_GROWTH) failures.add('memory grew', `${Math.round(memory)} MiB, then ${Math.round(growth)} more`);
    if (devices.withoutRetryAfter > 0) failures.add('a 503 without Retry-After', `${devices.withoutRetryAfter} times`);
    const percent = (rate: number): string => `${Math.round((100 * rate) / peak)} %`;
    const store = await openStore(data);
    const verdict = await judge(store, devices.acknowledged, devices.today);
    await store.close();
    if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));
    return {
      fault: '3 times overload, open loop',
      tried: `a disk that takes ${bytesPerSecond} bytes a second; peak ${Math.round(peak)} batches a second, offered ${(offered / peak).toFixed(2)} times as many for ${seconds} s`,
      seen: `goodput ${percent(goodput)} of peak, ${refused} x 503, ${closed} closed; ${describe(verdict)}; memory ${Math.round(memory)} MiB, then ${Math.round(growth)} more; then ${percent(after)} of peak`,
      failures: failures.list(),
    };
  });
