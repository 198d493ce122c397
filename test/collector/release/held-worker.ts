/** The thread that measures, held back: before it measures rows, it waits until the test lets it go on, or end. */

import { parentPort, workerData } from 'node:worker_threads';
import type { Task } from '#collector/release/measuring/thread.ts';

const gate = workerData as Int32Array<SharedArrayBuffer>;

parentPort?.on('message', ({ rows }: Task) => {
  if (rows === undefined) return;
  Atomics.wait(gate, 0, 0);
  if (Atomics.load(gate, 0) === 2) process.exit(1);
});
await import('#collector/release/measuring/worker.ts');
