/**
 * The set-up of docs/deploy/postgres/compose.yaml as plain processes: two databases, nginx in front of the primary, two collectors and nginx
 * in front of those. Each gets the files and the settings that its container gets, with other addresses, ports and folders.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalSchema } from '@murmuration/shared';
import { program } from '../../deploy/deployed.ts';
import { bin } from '../../setup/command.ts';
import { execute, freePort, programOf, user } from '../../setup/postgres-server.ts';
import { document } from '../cells.ts';
import { until } from '../outcome.ts';
import { type Environment, environmentOf, ofImage, SECRETS, siteFile, wayFile } from './compose-settings.ts';

/** What the image's own entry script does with these files, in the folder that holds the sockets. */
const ENTRY = `#!/bin/sh
set -eu
program=$1; shift
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --pgdata="$PGDATA" --username=postgres --auth=trust --encoding=UTF8 --no-locale --no-sync > /dev/null
  pg_ctl --pgdata="$PGDATA" -o "$* -c listen_addresses=" --wait start > /dev/null
  psql --username=postgres --no-psqlrc --quiet --file="$INIT"
  pg_ctl --pgdata="$PGDATA" --mode=fast --wait stop > /dev/null
fi
exec "$program" "$@"
`;

export type Name = 'db1' | 'db2';
export const otherOf = (name: Name): Name => (name === 'db1' ? 'db2' : 'db1');

/** The processes. */
export interface Composed {
  /** The port of nginx, which speaks TLS. */
  readonly port: number;
  readonly collectors: readonly ChildProcess[];
  /** The URL of the database through nginx, with the collectors' role and its password. */
  readonly url: string;
  /** Kills a database at once. */
  readonly kill: (name: Name) => Promise<void>;
  /** Runs \`promote.sql\`. */
  readonly promote: (name: Name) => void;
  /** Leads collectors to this database, as the page says: in one line of nginx's file. */
  readonly lead: (name: Name) => void;
  /** Starts a database that was killed as a standby of the other one, on new files, and makes that wait for it. */
  readonly rebuild: (name: Name) => Promise<void>;
  /** Runs SQL as the databases' administrator. */
  readonly administer: (name: Name, sql: string) => ReturnType<typeof execute>;
}

/** Starts all of it, runs work with it, and ends and deletes it. */
export async function withComposed<T>(work: (composed: Composed) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-composed-'));
  const { uid, gid } = user();
  const own = (path: string): string => {
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    return path;
  };
  chmodSync(own(folder), 0o755);
  const at = (name: string): string => join(folder, name);
  for (const name of ['postgresql.conf', 'pg_hba.conf', 'init.sql', 'promote.sql', 'database.sh']) {
    copyFileSync(fileURLToPath(new URL(`../../../docs/deploy/postgres/${name}`, import.meta.url)), at(name));
    own(at(name));
  }
  writeFileSync(at('docker-entrypoint.sh'), ENTRY, { mode: 0o755 });
  writeFileSync(at('schema.json'), canonicalSchema(document));

  const running = new Set<ChildProcess>();
  const begin = (
    command: string,
    args: readonly string[],
    options: { readonly env: NodeJS.ProcessEnv; readonly isDatabase?: true },
  ): ChildProcess => {
    const child = spawn(command, args, {
      cwd: folder,
      stdio: 'ignore',
      env: options.env,
      ...(options.isDatabase && { ...user(), detached: true }),
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  };
  const end = async (child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || !running.has(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const endAll = (): void => {
    for (const child of running) child.kill('SIGQUIT');
  };
  process.on('exit', endAll);

  const ports = {
    db1: await freePort(),
    db2: await freePort(),
    database: await freePort(),
    proxy: await freePort(),
    plain: await freePort(),
  };
  const upstreams = [await freePort(), await freePort()];
  const databases = new Map<Name, ChildProcess>();
  const socketOf = (name: Name): string => `postgres://postgres@localhost/postgres?host=${folder}&port=${ports[name]}`;
  const administer: Composed['administer'] = (name, sql) => execute(socketOf(name), sql);
  const path = [folder, dirname(programOf('initdb')), process.env['PATH']].join(delimiter);
  const startDatabase = (name: Name, set: Environment = {}): void => {
    const { STANDBY_OF: of = '', ...rest } = environmentOf(name, set);
    const standby = of === '' ? {} : { STANDBY_OF: '127.0.0.1', PGPORT: `${ports[of as Name]}` };
    const settings = [
      `hba_file=${at('pg_hba.conf')}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      `port=${ports[name]}`,
    ];
    const args = ['postgres', '-c', `config_file=${at('postgresql.conf')}`, ...settings.flatMap((setting) => ['-c', setting])];
    const env = { PATH: path, PGHOST: folder, PGPORT: `${ports[name]}`, PGDATA: at(name), INIT: at('init.sql'), ...rest, ...standby };
    databases.set(name, begin('sh', [at('database.sh'), ...args], { env, isDatabase: true }));
  };
  const isStandby = async (name: Name): Promise<boolean> =>
    administer(otherOf(name), "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'").then(
      (rows) => rows.length > 0,
      () => false,
    );
  const untilStandby = async (name: Name): Promise<void> => {
    if (!(await until(() => isStandby(name), 120_000))) throw new Error(`expected ${name} to be a synchronous standby`);
  };

  const nginx = (name: string, text: string): ChildProcess => {
    writeFileSync(at(name), text);
    return begin(program('nginx'), ['-e', at(`${name}.log`), '-c', at(name), '-g', `daemon off; pid ${at(`${name}.pid`)};`], {
      env: process.env,
    });
  };
  const wayTo = (name: Name): string => wayFile({ port: ports.database, name, to: ports[name], log: at('way.log') });
  const url = `postgres://murmuration@127.0.0.1:${ports.database}/telemetry`; // the password is in the environment
  const collectorOf = (service: string, port: number): NodeJS.ProcessEnv => ({
    ...process.env,
    ...ofImage,
    ...environmentOf(service),
    ...{ MURMURATION_POSTGRES: url, MURMURATION_TRUST_PROXY: '127.0.0.1', MURMURATION_HOST: '127.0.0.1', MURMURATION_PORT: `${port}` },
  });

  try {
    const certificate = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      at('privkey.pem'),
      '-subj',
      '/CN=t',
    ];
    execFileSync(program('openssl'), ['req', '-x509', ...certificate, '-out', at('fullchain.pem'), '-days', '2'], { stdio: 'ignore' });
    startDatabase('db1');
    startDatabase('db2');
    await untilStandby('db2');
    const way = nginx('way.conf', wayTo('db1'));
    const serveArgs = [bin, 'serve'];
    const keys = ['keys', 'create', '--app', document.app, '--postgres', url];
    const isUp = async (): Promise<boolean> => {
      try {
        execFileSync(process.execPath, [bin, ...keys], {
          stdio: 'ignore',
          env: { ...process.env, ...environmentOf('collector1'), MURMURATION_POSTGRES: url },
        });
        return true;
      } catch {
        return false; // nginx has not begun to listen
      }
    };
    if (!(await until(isUp, 60_000))) throw new Error('expected a key to be made');
    // The load has this one.
    const telemetry = `postgres://postgres@localhost/telemetry?host=${folder}&port=${ports.db1}`;
    await execute(telemetry, "UPDATE murmuration.admin_credential SET key = 'pk_test' WHERE key IS NOT NULL");
    const collectors = upstreams.map((port, i) => begin(process.execPath, serveArgs, { env: collectorOf(`collector${i + 1}`, port) }));
    nginx('site.conf', siteFile({ folder, port: ports.proxy, plain: ports.plain, collectors: upstreams }));
    const isReady = (port: number): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (const port of upstreams) if (!(await until(() => isReady(port), 60_000))) throw new Error('expected collectors that are ready');
    return await work({
      port: ports.proxy,
      url: url.replace('@', `:${SECRETS['COLLECTOR_PASSWORD']}@`),
      collectors,
      administer,
      kill: (name) => end(databases.get(name), 'SIGKILL'),
      promote: (name) =>
        void execFileSync(
          programOf('psql'),
          ['--username=postgres', '--no-psqlrc', `--host=${folder}`, `--port=${ports[name]}`, '--file', at('promote.sql')],
          {
            cwd: '/',
            stdio: 'pipe',
            ...user(),
          },
        ),
      lead: (name) => {
        writeFileSync(at('way.conf'), wayTo(name));
        way.kill('SIGHUP'); // what nginx -s reload sends
      },
      rebuild: async (name) => {
        rmSync(at(name), { recursive: true });
        startDatabase(name, { [`${name.toUpperCase()}_STANDBY_OF`]: otherOf(name) });
        await administer(otherOf(name), "ALTER SYSTEM SET synchronous_standby_names = '*'");
        await administer(otherOf(name), 'SELECT pg_reload_conf()');
        await untilStandby(name);
      },
    });
  } finally {
    process.off('exit', endAll);
    await Promise.all(
      [...running].map((child) => end(child, databases.get('db1') === child || databases.get('db2') === child ? 'SIGQUIT' : 'SIGTERM')),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}
