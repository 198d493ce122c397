/** `murmuration serve` in a process of its own, as it runs in production, and the load that others put on it from theirs. */

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json, SchemaDocument } from '@murmuration/shared';
import { canonicalText } from '#collector/schemas/catalog.ts';
import { bin } from '../../setup/command.ts';
import type { Attack, AttackResult } from './attacker.ts';
import type { Seen } from './dashboards.ts';

const MIB = 2 ** 20;
const LONGEST = 120_000; // a process that has not ended by then is killed

/** A running collector. */
export interface Service {
  readonly port: number;
  readonly url: string;
  /** Seconds from its start until it said where it listens. */
  readonly startSeconds: number;
  /** The end of what it has printed. */
  readonly said: () => string;
  /** Resident memory in MiB. */
  readonly memory: () => number;
  /** CPU seconds so far, of all its threads. */
  readonly cpu: () => number;
  /** Tells it to stop, and resolves to the seconds until it has ended, with its exit code. */
  readonly stop: () => Promise<{ readonly seconds: number; readonly code: number | null }>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a collector on a folder. Its store is in `data` there. */
export async function serve(folder: string, schema: SchemaDocument, more: readonly string[] = []): Promise<Service> {
  const file = join(folder, 'schema.json');
  writeFileSync(file, canonicalText(schema as unknown as Json));
  const args = [bin, 'serve', '--open', '--schema', file, '--data', join(folder, 'data'), '--port', '0', '--minimum', '1', ...more];
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const exited = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  let said = '';
  let listening: (url: string) => void = () => undefined;
  const listens = new Promise<string>((resolve) => {
    listening = resolve;
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000);
      const url = /listens on (http:\S+)/.exec(said)?.[1];
      if (url !== undefined) listening(url);
    });
  const failed = exited.then((): never => {
    throw new Error(`the collector ended: ${said}`);
  });
  failed.catch(() => undefined);
  const url = await Promise.race([listens, failed]);
  const ofProcess = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, 'latin1');
  return {
    port: Number(new URL(url).port),
    url,
    startSeconds: (performance.now() - started) / 1_000,
    said: () => said,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(ofProcess('status'))?.[1]) / 1_024,
    cpu: () => {
      const columns = ofProcess('stat')
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(columns[11]) + Number(columns[12])) / 100; // user and system, in ticks of 10 ms
    },
    stop: async () => {
      const from = performance.now();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST);
      const code = await exited;
      clearTimeout(timer);
      return { seconds: (performance.now() - from) / 1_000, code };
    },
  };
}

/** The size of a collector's store on the disk, with its log, in MiB. */
export function storeSize(folder: string): number {
  const data = join(folder, 'data');
  return readdirSync(data).reduce((sum, name) => sum + statSync(join(data, name)).size, 0) / MIB;
}

/** Forks a program of this folder, whose work must not make the measuring process late. */
function start(file: string, options: object): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(options)]);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Attacks a collector from another process. */
export async function attack(options: Attack): Promise<AttackResult> {
  const child = start('attacker.ts', options);
  const [result] = (await once(child, 'message')) as [AttackResult];
  await once(child, 'exit');
  return result;
}

/** Opens dashboards in another process. Resolves once they show everything, to the function that closes them. */
export async function openDashboards(url: string, count: number): Promise<() => Promise<Seen>> {
  const child = start('dashboards.ts', { url, count });
  await once(child, 'message');
  return async () => {
    const seen = once(child, 'message') as Promise<[Seen]>;
    child.send('close');
    await once(child, 'exit');
    return (await seen)[0];
  };
}
