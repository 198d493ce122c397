/** The collector in a process of its own, started as in production, with everything that it logs. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalSchema } from '@murmuration/shared';
import { document } from './cells.ts';

const bin = fileURLToPath(new URL('../../collector/bin/murmuration.js', import.meta.url));

/** Running collectors, each with its folder. They are ended with their test, also when a run is aborted. */
const running = new Map<ChildProcess, string>();
const endThose = (parent: string): void => {
  for (const [child, data] of running) if (data.startsWith(parent)) child.kill('SIGKILL');
};
process.on('exit', () => endThose(''));

/** A running collector. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  /** The output on both streams so far. */
  readonly logs: () => string;
  /** Resolves to the exit code when the process has ended. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and resolves to the exit code; null when the process was killed, also because it did not end within a minute. */
  readonly stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<number | null>;
}

/** Options that a test may set. */
export interface ServerOptions {
  /** Node's options. */
  readonly node?: readonly string[];
  /** A program, with its arguments, that runs the server. */
  readonly under?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly schema?: string;
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
}

/** A folder in memory, if there is one. Recording system calls does not need a real disk. */
export const inMemory = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());

/** Runs work with a temporary folder, which is deleted afterwards. */
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
 * Starts a collector with the oracle's schema, on a free port and with the store in a folder.
 *
 * @throws {Error} when it does not start, with its output
 */
export async function serve(data: string, options: ServerOptions = {}): Promise<Server> {
  const { node = [], under = [], env = {}, schema = canonicalSchema(document), args: more = [] } = options;
  const file = `${data}.schema.json`;
  writeFileSync(file, schema);
  const [program = '', ...args] = [
    ...under,
    process.execPath,
    ...node,
    bin,
    'serve',
    '--open',
    '--per-metric',
    '1000',
    '--schema',
    file,
    '--data',
    data,
    '--port',
    '0',
    ...more,
  ];
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

/** The resident memory of a process, in MiB. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024;
}
