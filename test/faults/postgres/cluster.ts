/** A PostgreSQL server that keeps what it confirms, with an empty database, for faults that stop and kill it. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish } from '#collector/schemas/catalog.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import type { Store } from '#collector/storage/store.ts';
import { execute, freePort, initialize, spawnServer, untilReady, urlOf } from '../../setup/postgres-server.ts';
import { document, wire } from '../cells.ts';
import { sleep } from '../outcome.ts';
import { type Server, type ServerOptions, serve } from '../server.ts';

const SETTINGS: readonly string[] = [
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'max_connections=60',
  'checkpoint_timeout=30s',
];

/** Servers that run, so that none outlives this process. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGQUIT');
});

/** Starts the process of a server that keeps what it confirms. */
export function launch(data: string, port: number, more: readonly string[]): ChildProcess {
  const child = spawnServer(data, port, [...SETTINGS, ...more]);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** A server. */
export interface Cluster {
  readonly url: string;
  readonly port: number;
  /** The server's files. */
  readonly data: string;
  /** A folder for the files of collectors. */
  readonly folder: string;
  /** The processes of the server: the first has started the others. */
  readonly processes: () => readonly number[];
  /** Sends a signal to the first process, and resolves when it has ended. */
  readonly stop: (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL') => Promise<void>;
  readonly start: () => Promise<void>;
  /** Starts a collector on the database. */
  readonly serve: (name: string, postgres?: string, options?: ServerOptions) => Promise<Server>;
  /** Opens the store, as another collector would. */
  readonly open: (postgres?: string) => Promise<Store>;
}

/** The processes that a process has started, itself included. */
function familyOf(pid: number): readonly number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === pid;
    } catch {
      return false; // it has ended
    }
  });
  return [pid, ...children.map(Number)];
}

/** Runs work with a server, which is stopped and deleted afterwards. */
export async function withCluster<T>(work: (cluster: Cluster) => Promise<T>, more: readonly string[] = []): Promise<T> {
  const [data, port, folder] = [initialize(), await freePort(), mkdtempSync(join(tmpdir(), 'murmuration-faults-'))];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    // After a kill, the server's other processes need a moment to notice, and a new one refuses to start beside them.
    for (let tries = 0; ; tries++) {
      const started = launch(data, port, more);
      child = started;
      try {
        return await untilReady(port, started);
      } catch (error) {
        if (tries === 100) throw error;
        await sleep(100);
      }
    }
  };
  const stop: Cluster['stop'] = async (signal) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const servers: Server[] = [];
  try {
    await start();
    await execute(urlOf(port, 'postgres'), 'CREATE DATABASE faults');
    const url = urlOf(port, 'faults');
    return await work({
      url,
      port,
      data,
      folder,
      processes: () => familyOf(child?.pid ?? 0),
      stop,
      start,
      serve: async (name, postgres = url, options = {}) => {
        const server = await serve(join(folder, name), { ...options, args: ['--postgres', postgres, ...(options.args ?? [])] });
        servers.push(server);
        return server;
      },
      open: (postgres = url) => openPostgresStore({ postgres }, new Map([[wire, publish(document).metrics]])),
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')));
    await stop('SIGQUIT');
    for (const each of [data, folder]) rmSync(each, { recursive: true });
  }
}
