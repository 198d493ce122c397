/**
 * The PostgreSQL server of a run of tests, started by the first test that needs it, and stopped with the run. It keeps nothing through a crash
 * of the machine, which makes it fast; the fault tests start servers that do.
 */

import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execute, freePort, initialize, spawnServer, untilReady, urlOf } from './postgres-server.ts';
import { runFolder } from './run-folder.ts';

const FAST = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200', 'shared_buffers=64MB'];

/** Ends the server when the process that started it ends, however that ends: then nobody holds the other end of its input. */
const WATCHED = ['/bin/sh', '-c', '"$@" & read -r end; kill -INT $! 2>/dev/null; wait', 'sh'];

/** Milliseconds between two looks. */
const EVERY = 50;

/** The files by which tests ask for the server and learn its port, or why there is none. */
const wanted = (): string => join(runFolder(), 'postgres-wanted');
const known = (): string => join(runFolder(), 'postgres.json');

interface Known {
  readonly port?: number;
  readonly error?: string;
}

async function startServer(): Promise<Known & { readonly stop?: () => Promise<void> }> {
  try {
    const [folder, port] = [initialize(), await freePort()];
    const child = spawnServer(folder, port, FAST, WATCHED);
    await untilReady(port, child);
    const stop = async (): Promise<void> => {
      child.stdin?.end();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    };
    return { port, stop };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Runs before the first test, in the process that starts the workers. Returns what stops the server after the last one, if there is one. */
export default function setup(): () => Promise<void> {
  let starting: ReturnType<typeof startServer> | undefined;
  const look = async (): Promise<void> => {
    if (starting !== undefined || !existsSync(wanted())) return;
    clearInterval(timer);
    starting = startServer();
    const { port, error } = await starting;
    writeFileSync(`${known()}.new`, JSON.stringify({ port, error }));
    renameSync(`${known()}.new`, known());
  };
  const timer = setInterval(() => void look(), EVERY).unref();
  return async () => {
    clearInterval(timer);
    await (await starting)?.stop?.();
  };
}

/** The port of the run's server. */
async function portOfRun(): Promise<number> {
  writeFileSync(wanted(), '');
  while (!existsSync(known())) await sleep(EVERY);
  const { port, error } = JSON.parse(readFileSync(known(), 'utf8')) as Known;
  if (port === undefined) throw new Error(error);
  return port;
}

let last = 0;
/** Databases that were given back. Creating one takes as long as a small test. */
const free: string[] = [];

/** An empty database. Returns its URL. */
export async function createDatabase(): Promise<string> {
  const known = free.pop();
  if (known !== undefined) return known;
  const port = await portOfRun();
  const name = `test_${process.pid}_${++last}`;
  await execute(urlOf(port, 'postgres'), `CREATE DATABASE ${name}`);
  return urlOf(port, name);
}

/** Empties a database, and ends its connections. */
export async function emptyDatabase(url: string): Promise<void> {
  await execute(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
      DROP SCHEMA IF EXISTS murmuration CASCADE`,
  );
}

/** Gives a database back, once: two tests that had the same one would end each other's connections. */
export async function dropDatabase(url: string): Promise<void> {
  if (free.includes(url)) throw new Error(`expected a database that is in use, got ${url}, which was given back`);
  await emptyDatabase(url);
  free.push(url);
}
