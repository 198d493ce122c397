/** PostgreSQL servers for tests: on files of their own, on a free port, as an unprivileged user, stopped by their own process. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connected } from '#collector/storage/postgres/connection.ts';
import { postgresProgram } from './places.ts';

/** The role of all tests. */
const ROLE = 'murmuration';

/** PostgreSQL refuses to run as root, so root runs it as nobody. */
export function user(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = users.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export function programOf(name: string): string {
  const program = postgresProgram(name);
  if (program === undefined) throw new Error('expected PostgreSQL to be installed; npm test installs it');
  return program;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export const urlOf = (port: number, database: string): string => `postgres://${ROLE}@127.0.0.1:${port}/${database}`;

/** An empty folder of the user that servers run as. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-postgres-'));
  const { uid, gid } = user();
  chmodSync(folder, 0o700);
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** Creates the files of a standby of a running server, and returns their folder. */
export function copyServer(port: number): string {
  const folder = makeFolder();
  const args = ['-D', folder, '-h', '127.0.0.1', '-p', `${port}`, '-U', ROLE, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  execFileSync(programOf('pg_basebackup'), args, { stdio: 'pipe', cwd: '/', ...user() });
  return folder;
}

/** Creates the files of a server, and returns their folder. */
export function initialize(): string {
  const folder = makeFolder();
  const args = ['-D', folder, '-U', ROLE, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  execFileSync(programOf('initdb'), args, { stdio: 'pipe', cwd: '/', ...user() });
  return folder;
}

/** Runs statements on a database, and resolves to the rows of a single one. */
export const execute = (url: string, sql: string): Promise<readonly (readonly unknown[])[]> =>
  connected({ postgres: url }, (query) => query(sql));

/** Starts a server's process. `under` runs it, such as a shell with its arguments. */
export function spawnServer(folder: string, port: number, settings: readonly string[], under: readonly string[] = []): ChildProcess {
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings].flatMap((setting) => ['-c', setting]);
  const [program = '', ...args] = [...under, programOf('postgres'), '-D', folder, '-p', `${port}`, ...all];
  return spawn(program, args, { stdio: [under.length > 0 ? 'pipe' : 'ignore', 'ignore', 'ignore'], cwd: '/', detached: true, ...user() });
}

/** Resolves when a server takes statements. @throws {Error} when its process has ended */
export async function untilReady(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start on port ${port}: it ended with ${child.exitCode}`);
    const isReady = await execute(urlOf(port, 'postgres'), 'SELECT 1').then(
      () => true,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
}
