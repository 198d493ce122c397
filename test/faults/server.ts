/** The collector in a process of its own, as people run it, and all that it logs. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalSchema } from '@murmuration/shared';
import { document } from './cells.ts';

const bin = fileURLToPath(new URL('../../collector/bin/murmuration.js', import.meta.url));

/** Collectors that run, each with its folder: none outlives its test, or a run that is broken off. */
const running = new Map<ChildProcess, string>();
const endThose = (parent: string): void => {
  for (const [child, data] of running) if (data.startsWith(parent)) child.kill('SIGKILL');
};
process.on('exit', () => endThose(''));

/** A running collector. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  /** What it wrote on either stream so far. */
  readonly logs: () => string;
  /** Resolves to the exit code when it has ended. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and resolves to the exit code when it has ended: null when it was killed, as it is when it does not end in a minute. */
  readonly stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>;
}

/** What a test may change. */
export interface ServerOptions {
  /** Options of Node. */
  readonly node?: readonly string[];
  /** A program, with its arguments, that runs the server. */
  readonly under?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly schema?: string;
}

/** Where files are in memory, if anywhere: what is recorded of a disk need not be on one. */
export const inMemory = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

/** A folder of a test's own, gone when the test is over. */
export async function withFolder<T>(work: (folder: string) => Promise<T>, parent = tmpdir()): Promise<T> {
  const folder = mkdtempSync(join(parent, 'murmuration-faults-'));
  try {
    return await work(folder);
  } finally {
    endThose(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts a collector of the oracle's schema on a free port and a folder's store.
 *
 * @throws {Error} when it does not start, with what it wrote
 */
export async function serve(data: string, options: ServerOptions = {}): Promise<Server> {
  const { node = [], under = [], env = {}, schema = canonicalSchema(document) } = options;
  const file = `${data}.schema.json`;
  writeFileSync(file, schema);
  const [program = '', ...args] = [...under, process.execPath, ...node, bin, 'serve', '--schema', file, '--data', data, '--port', '0'];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  running.set(child, data);
  child.once('exit', () => running.delete(child));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let logs = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      logs += chunk;
    });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /listens on http:\/\/[^ ]+:(\d+)/.exec(logs)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    void exited.then(() => reject(new Error(`the collector did not start: ${logs}`)));
  });
  const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    const code = await exited;
    clearTimeout(timer);
    return code;
  };
  return { port, pid: child.pid as number, logs: () => logs, exited, stop };
}

/** The memory that a process has in use, in MiB. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
}
