/** A server's process, and what it says of itself. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Usage } from './server.ts';

const file = fileURLToPath(new URL('./server.ts', import.meta.url));

/** A server that listens. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** Seconds from its start until it listened. */
  readonly startSeconds: number;
  readonly usage: () => Promise<Usage>;
  /** The same after a full garbage collection of its main thread. */
  readonly collected: () => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

/** Where a server's store lies; it is gone when the work is done. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const answer = async <T>(child: ChildProcess): Promise<T> => {
  const [message] = await once(child, 'message');
  return message as T;
};

/** Starts a server of a kind. */
export async function startServer(kind: string, folder: string): Promise<ServerProcess> {
  const started = performance.now();
  const child = fork(file, [kind, folder], { execArgv: [...process.execArgv, '--expose-gc'] });
  const { port } = await answer<{ readonly port: number }>(child);
  const startSeconds = (performance.now() - started) / 1000;
  const ask = (what: 'usage' | 'collected'): Promise<Usage> => {
    child.send(what);
    return answer<Usage>(child);
  };
  return {
    pid: child.pid as number,
    port,
    startSeconds,
    usage: () => ask('usage'),
    collected: () => ask('collected'),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
