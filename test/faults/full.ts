/**
 * A disk that fills up and is freed, and a disk that fails: a small tmpfs filled by another process, and errors that strace injects into
 * writes and syncs.
 * Nothing acknowledged may be lost, and the collector must continue without a restart.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dayNumber } from '@murmuration/shared';
import { bodyOf, CAPACITY, describe, isExact, judge, openStore } from './cells.ts';
import { Connection, report } from './connection.ts';
import { Devices, TOO_LATE } from './load.ts';
import { failuresOf, type Outcome, sleep, until } from './outcome.ts';
import { type Server, serve, withFolder } from './server.ts';

const MEBIBYTES = 384; // more than a collector keeps free

/** The statuses allowed while a disk is full; and while it fails, which a collector can't foresee. */
const FULL = [204, 503, 507, ...TOO_LATE];
const BROKEN = [...FULL, 500];

/** Makes something fail, and returns how to undo it. */
type Fault = (server: Server, location: string) => Promise<() => Promise<void>>;

/** Fills a disk to its last byte. Returns what frees it. */
export function fillDisk(location: string): () => void {
  const file = openSync(`${location}/filler`, 'w');
  for (const size of [1 << 20, 1 << 12, 1])
    try {
      for (;;) if (writeSync(file, Buffer.alloc(size)) < size) break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  closeSync(file);
  return () => rmSync(`${location}/filler`);
}

const fill: Fault = async (_server, location) => {
  const free = fillDisk(location);
  return async () => free();
};

/** Makes system calls of a running process fail. */
const refuse =
  (injection: string): Fault =>
  async ({ pid }) => {
    const calls = injection.slice(0, injection.indexOf(':'));
    const strace = spawn('strace', ['-f', '-p', `${pid}`, '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${injection}`], {
      stdio: 'ignore',
    });
    return async () => {
      strace.kill('SIGINT');
      await once(strace, 'exit');
    };
  };

/** Loads a collector, makes the disk fail until a while after the first failure, and checks the result. */
async function failing(
  fault: string,
  apply: Fault,
  location: string,
  milliseconds: number,
  expected: readonly number[] = FULL,
): Promise<Outcome> {
  const [failures, devices, data] = [failuresOf(), new Devices(dayNumber(Date.now())), `${location}/data`];
  const server = await serve(data);
  let alive = true;
  const load = devices.load(server.port, 32, () => alive);
  const flows = async (): Promise<boolean> => {
    const before = devices.acknowledgements;
    return until(() => devices.acknowledgements > before + 100, 60_000);
  };
  if (!(await flows())) failures.add('nothing is acknowledged at first');
  for (const status of devices.statuses.keys()) if (status !== 204) failures.add('an unexpected status before the fault', `${status}`);
  devices.statuses.clear();
  const undo = await apply(server, location);
  const fails = (): boolean => [...devices.statuses.keys()].some((status) => status !== 204);
  await until(fails, 60_000); // strace needs a while to attach to all threads
  await sleep(milliseconds);
  const during = new Map(devices.statuses);
  await undo();
  const freed = performance.now();
  if (!(await flows())) failures.add('nothing is acknowledged after the disk is well');
  const recovery = performance.now() - freed;
  alive = false;
  await load;
  await devices.settle(server.port);
  for (const status of devices.statuses.keys()) if (!expected.includes(status)) failures.add('an unexpected status', `${status}`);
  if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not stop well');
  const store = await openStore(data);
  const verdict = await judge(store, devices.acknowledged, devices.today);
  await store.close();
  if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));
  if (devices.acknowledged.includes(0)) failures.add('a batch was never acknowledged');
  const shed = [...during].filter(([status]) => status !== 204).map(([status, count]) => `${count} x ${status || 'closed'}`);
  if (shed.length === 0) failures.add('nothing failed', 'the fault did not happen');
  return {
    fault,
    tried: `${devices.begun} batches, 32 clients`,
    seen: `${describe(verdict)}; ${shed.join(', ') || 'nothing'} meanwhile; acknowledged again ${Math.round(recovery)} ms after`,
    failures: failures.list(),
  };
}

/** The reason why no small disk can be mounted here; undefined when one can. */
export function noMount(): string | undefined {
  const { status } = spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d && rmdir $d'], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'only root may mount a small disk';
}

/** Runs work with the place of a small disk. */
const onSmallDisk = (work: (place: string) => Promise<Outcome>): Promise<Outcome> =>
  withFolder(async (folder) => {
    const place = `${folder}/small`;
    mkdirSync(place);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'none', place]);
    if (mounted.status !== 0) throw new Error(`mount: ${mounted.stderr}`);
    try {
      return await work(place);
    } finally {
      spawnSync('umount', ['-l', place]);
    }
  });

/** Fills a small disk to the last byte, and frees it. */
export const fullDisk = (milliseconds: number): Promise<Outcome> =>
  onSmallDisk((place) => failing('disk full, then freed', fill, place, milliseconds));

/** Kills a collector under load on a full disk, starts it there, and then frees the disk. */
export const startOnFullDisk = (): Promise<Outcome> =>
  onSmallDisk(async (place) => {
    const [failures, devices, data] = [failuresOf(), new Devices(dayNumber(Date.now())), `${place}/data`];
    const killed = await serve(data);
    let alive = true;
    const load = devices.load(killed.port, 32, () => alive);
    if (!(await until(() => devices.acknowledgements > 200, 60_000))) failures.add('nothing is acknowledged at first');
    const undo = await fill(killed, place);
    await killed.stop('SIGKILL');
    alive = false;
    await load;
    const known = devices.acknowledgements;
    const server = await serve(data);
    for (const path of ['metrics', 'metrics/bits/estimates']) {
      const { status } = await fetch(`http://127.0.0.1:${server.port}/v1/${path}`);
      if (status !== 200) failures.add('it is not read on a full disk', `${path}: ${status}`);
    }
    const connection = new Connection(server.port);
    const refused = await connection.send(report(bodyOf(CAPACITY - 1, devices.today)));
    if (refused.status !== 507) failures.add('an upload on a full disk is not 507', `${refused.status}`);
    connection.close();
    await undo();
    const freed = performance.now();
    await devices.settle(server.port);
    const recovery = performance.now() - freed;
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not stop well');
    const store = await openStore(data);
    const verdict = await judge(store, devices.acknowledged, devices.today);
    await store.close();
    if (!isExact(verdict)) failures.add('batches are not there exactly once', describe(verdict));
    if (devices.acknowledged.subarray(0, devices.begun).includes(0)) failures.add('a batch was never acknowledged');
    return {
      fault: 'killed on a full disk, and started there',
      tried: `${devices.begun} batches, 32 clients; ${known} acknowledged before the kill`,
      seen: `${describe(verdict)}; read, and 507, until the disk was freed; all acknowledged ${Math.round(recovery)} ms after`,
      failures: failures.list(),
    };
  });

/** Writes fail for lack of space, whatever the free space was reported to be. */
export const refusedWrites = (milliseconds: number): Promise<Outcome> =>
  withFolder((folder) => failing('writes fail (ENOSPC)', refuse('pwrite64:error=ENOSPC'), folder, milliseconds));

/** Syncs fail: written data may or may not be on the disk. */
export const refusedSyncs = (milliseconds: number): Promise<Outcome> =>
  withFolder((folder) => failing('syncs fail (EIO)', refuse('fsync,fdatasync:error=EIO'), folder, milliseconds, BROKEN));
