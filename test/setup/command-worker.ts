/** The thread in which `runCommand` runs command lines, one after the other. */

import { type MessagePort, workerData } from 'node:worker_threads';
import type { Ran } from './command.ts';

const { other, done } = workerData as { readonly other: MessagePort; readonly done: Int32Array<SharedArrayBuffer> };

const printed = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array): boolean => {
    printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
}

const { main } = await import('#collector/cli/cli.ts');

other.on('message', (args: readonly string[]) => {
  Object.assign(printed, { stdout: '', stderr: '' });
  process.exitCode = undefined;
  void main([process.execPath, 'murmuration', ...args]).then(() => {
    other.postMessage({ status: Number(process.exitCode ?? 0), ...printed } satisfies Ran);
    process.exitCode = undefined;
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  });
});
