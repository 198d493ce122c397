/**
 * A disk that fills up and is freed, and a disk that fails: a small tmpfs filled by another process, and errors that strace injects into
 * writes and syncs.
 * Nothing acknowledged may be lost, and the collector must continue without a restart.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dayNumber } from '@murmuration/shared';
import { describe, isExact, judge, openStore } from './cells.ts';
import { Devices } from './load.ts';
import { failuresOf, type Outcome, sleep, until } from './outcome.ts';
import { type Server, serve, withFolder } from './server.ts';

const MEBIBYTES = 384; // more than a collector keeps free

/** The statuses allowed while a disk is full; and while it fails, which a collector can't foresee. */
const FULL = [204, 503, 507];
const BROKEN = [...FULL, 500];

/** Makes something fail, and returns how to undo it. */
type Fault = (server: Server, location: string) => Promise<() => Promise<void>>;

/** Fills the disk to its last byte. */
const fill: Fault = async (_server, location) => {
  const file = openSync(`${location}/filler`, 'w');
  for (const size of [1 << 20, 1 << 12, 1])
    try {
      for (;;) if (writeSync(file, Buffer.alloc(size)) < size) break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  closeSync(file);
  return async () => rmSync(`${location}/filler`);
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

/** Fills a small disk to the last byte, and frees it. */
export const fullDisk = (milliseconds: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const location = `${folder}/small`;
    mkdirSync(location);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m`, 'none', location]);
    if (mounted.status !== 0) throw new Error(`mount: ${mounted.stderr}`);
    try {
      return await failing('disk full, then freed', fill, location, milliseconds);
    } finally {
      spawnSync('umount', ['-l', location]);
    }
  });

/** Writes fail for lack of space, whatever the free space was reported to be. */
export const refusedWrites = (milliseconds: number): Promise<Outcome> =>
  withFolder((folder) => failing('writes fail (ENOSPC)', refuse('pwrite64:error=ENOSPC'), folder, milliseconds));

/** Syncs fail: written data may or may not be on the disk. */
export const refusedSyncs = (milliseconds: number): Promise<Outcome> =>
  withFolder((folder) => failing('syncs fail (EIO)', refuse('fsync,fdatasync:error=EIO'), folder, milliseconds, BROKEN));
