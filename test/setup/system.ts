/** System packages that the tests need: used if they are present, installed with apt as root on Debian, otherwise named in one sentence. */

import { spawnSync } from 'node:child_process';
import { chromiumPath, firefoxPath, hasStrace, postgresProgram, programPath, streamModule, webkitPython, xvfbPath } from './places.ts';

interface Part {
  readonly name: string;
  /** Its packages in Debian. */
  readonly packages: readonly string[];
  readonly isHere: () => boolean;
  /** An environment variable with its path. */
  readonly variable?: string;
  /** Set when the tests that need it run only on Linux. */
  readonly linuxOnly?: true;
}

/** What docs/deploy is tried with. */
const DEPLOYMENT: readonly (readonly [name: string, program: string, debianPackage: string])[] = [
  ['nginx', 'nginx', 'nginx-light'],
  ['Caddy', 'caddy', 'caddy'],
  ['Prometheus', 'prometheus', 'prometheus'],
  ['OpenSSL', 'openssl', 'openssl'],
  ['systemd-analyze', 'systemd-analyze', 'systemd'],
];

const parts: readonly Part[] = [
  {
    name: 'Chromium',
    packages: ['chromium'],
    isHere: () => chromiumPath() !== undefined,
    variable: 'CHROMIUM',
  },
  {
    name: 'Firefox',
    packages: ['firefox-esr'],
    isHere: () => firefoxPath() !== undefined,
    variable: 'FIREFOX',
  },
  {
    name: 'WebKitGTK with its Python bindings',
    packages: ['gir1.2-webkit2-4.1', 'python3-gi'],
    isHere: () => webkitPython() !== undefined,
    linuxOnly: true,
  },
  { name: 'Xvfb', packages: ['xvfb'], isHere: () => xvfbPath() !== undefined, linuxOnly: true },
  { name: 'PostgreSQL', packages: ['postgresql'], isHere: () => postgresProgram('initdb') !== undefined },
  { name: "nginx's stream module", packages: ['libnginx-mod-stream'], isHere: () => streamModule() !== undefined, linuxOnly: true },
  { name: 'strace', packages: ['strace'], isHere: hasStrace, linuxOnly: true },
  ...DEPLOYMENT.map(
    ([name, program, debianPackage]): Part => ({
      name,
      packages: [debianPackage],
      isHere: () => programPath(program) !== undefined,
      linuxOnly: true,
    }),
  ),
];

const missing = (): readonly Part[] =>
  parts.filter(({ linuxOnly, isHere }) => (linuxOnly === undefined || process.platform === 'linux') && !isHere());

function install(packages: readonly string[]): void {
  // RUNLEVEL keeps the packages' own services from starting.
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
    if (status !== 0) return;
  }
}

const packagesOf = (parts: readonly Part[]): readonly string[] => parts.flatMap(({ packages }) => packages);

const wanted = packagesOf(missing());
if (wanted.length > 0 && process.getuid?.() === 0) {
  console.log(`Installing ${wanted.join(', ')} with apt-get ...`);
  install(wanted);
}
const lacking = missing();
if (lacking.length > 0) {
  const names = new Intl.ListFormat('en').format(lacking.map(({ name }) => name));
  const variables = lacking.flatMap(({ name, variable }) =>
    variable === undefined ? [] : [`, or set ${variable} to the path of ${name}`],
  );
  console.error(`The tests need ${names}: on Debian, apt-get install ${packagesOf(lacking).join(' ')}${variables.join('')}.`);
  process.exit(1);
}
