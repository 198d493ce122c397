/**
 * Runs command lines of `murmuration`: in one thread that has loaded the program once, or each in a process of its own, as people do. A
 * process takes half a second to load; all that a thread leaves out is `bin/murmuration.js`.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** What a command printed, and its exit code. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const bin: string = fileURLToPath(new URL('../../collector/bin/murmuration.js', import.meta.url));

const LONGEST = 300_000; // otherwise a command that hangs would hang its test

/** Runs a command line in a process of its own. */
export const runProcess = (...args: readonly string[]): Ran =>
  spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', timeout: LONGEST, env: { ...process.env, NODE_NO_WARNINGS: '1' } });

const { port1: port, port2: other } = new MessageChannel();
const done = new Int32Array(new SharedArrayBuffer(4));
let worker: Worker | undefined;

/** Runs a command line in the thread. Not for what serves until it is stopped, or ends its process. */
export function runCommand(...args: readonly string[]): Ran {
  worker ??= new Worker(new URL('command-worker.ts', import.meta.url), { workerData: { other, done }, transferList: [other] });
  worker.unref();
  Atomics.store(done, 0, 0);
  port.postMessage(args);
  const waited = Atomics.wait(done, 0, 0, LONGEST);
  const ran = receiveMessageOnPort(port)?.message as Ran | undefined;
  if (ran === undefined) throw new Error(`murmuration ${args.join(' ')}: expected an end, got ${waited} after ${LONGEST} ms`);
  return ran;
}
