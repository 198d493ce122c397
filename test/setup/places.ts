/** Finds the system's browsers and what they need to run: on the PATH or in the usual locations. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where programs of administrators are, which need not be on the PATH of others. */
const ADMINISTRATION = ['/usr/sbin', '/sbin', '/usr/local/sbin'];

const MAC_APPLICATIONS = ['Chromium', 'Google Chrome', 'Firefox'].map((name) => `/Applications/${name}.app/Contents/MacOS`);

/** The paths at which a program may be. The environment variable `variable` takes precedence. */
function placesOf(names: readonly string[], variable?: string): readonly string[] {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', ...MAC_APPLICATIONS];
  const chosen = variable === undefined ? undefined : process.env[variable];
  return [...(chosen ? [chosen] : []), ...folders.flatMap((folder) => names.map((name) => join(folder, name)))].filter(existsSync);
}

/** The path of an installed Chromium, or undefined. */
export const chromiumPath = (): string | undefined =>
  placesOf(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'Chromium', 'Google Chrome'], 'CHROMIUM')[0];

/** The path of an installed Firefox, or undefined. */
export const firefoxPath = (): string | undefined => placesOf(['firefox-esr', 'firefox'], 'FIREFOX')[0];

/** The path of an X server that needs no screen (Xvfb), or undefined. */
export const xvfbPath = (): string | undefined => placesOf(['Xvfb'])[0];

/** The path of a Python that can show WebKitGTK's views, or undefined. Only the system's Python has the bindings. */
export const webkitPython = (): string | undefined =>
  [...new Set(placesOf(['python3']))].find(
    (path) => spawnSync(path, ['-c', "import gi; gi.require_version('WebKit2', '4.1')"], { stdio: 'ignore' }).status === 0,
  );

/** The path of a program of the system, such as nginx, or undefined. */
export const programPath = (name: string): string | undefined =>
  placesOf([name])[0] ?? ADMINISTRATION.map((folder) => join(folder, name)).find(existsSync);

/** The path of nginx's module for connections that are not HTTP, or undefined. */
export const streamModule = (): string | undefined =>
  ['/usr/lib/nginx/modules', '/usr/share/nginx/modules'].map((folder) => join(folder, 'ngx_stream_module.so')).find(existsSync);

/** Where Debian and its kin keep the programs of each version of PostgreSQL, the newest first. */
function postgresFolders(): readonly string[] {
  const parent = '/usr/lib/postgresql';
  const versions = existsSync(parent) ? readdirSync(parent) : [];
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(parent, version, 'bin'));
}

/** The path of a program of a PostgreSQL server, such as initdb, or undefined. */
export const postgresProgram = (name: string): string | undefined =>
  postgresFolders()
    .map((folder) => join(folder, name))
    .find(existsSync) ?? placesOf([name])[0];

/** Whether strace can run. */
export const hasStrace = (): boolean => spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
