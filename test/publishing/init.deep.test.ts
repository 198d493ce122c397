/**
 * `init` in an app of each framework, installed from the registry as it was on a day, with the packed tarballs. The framework builds what
 * it wrote, its script starts the collector, and a report arrives there when Chromium agrees to what the app asks.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createReader } from '@murmuration/collector/reader';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../setup/chromium.ts';
import { APPS, type App } from './frameworks.ts';
import { newApp, PACKAGES, type Packed, packOnce } from './packed.ts';
import { agree, serveSite } from './site.ts';

/** What the registry got later is not installed, so that a dependency's next version changes nothing here. */
const BEFORE = '2026-11-26';
/** Expo sends no reports of its own. */
const ENV = {
  ...process.env,
  CI: '1',
  NODE_ENV: undefined,
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  EXPO_NO_TELEMETRY: '1',
};

let packed: Packed;
let browser: Browser;
beforeAll(async () => {
  [packed, browser] = await Promise.all([packOnce(), launchChromium()]);
});
afterAll(() => browser?.close());

/** Runs a command in a folder. @throws {Error} with what it said */
const run = async (cwd: string, command: string, ...args: readonly string[]): Promise<string> =>
  promisify(execFile)(command, [...args], { cwd, env: ENV, maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr, message }: Error & { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${message}\n${stdout}\n${stderr}`);
    },
  );

/** Installs an app, and has `init` write into it. */
async function initialized({ packages, files }: Pick<App, 'packages' | 'files'>, ...args: readonly string[]): Promise<string> {
  const folder = await newApp(packed);
  const tarballs = PACKAGES.map((name) => [`@murmuration/${name}`, `file:${join(packed.folder, `${name}.tgz`)}`]);
  const dependencies = { ...packages, ...Object.fromEntries(tarballs) };
  const manifest = { name: 'notes', private: true, ...(packages['expo'] ? { main: 'index.ts' } : { type: 'module' }), dependencies };
  for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await run(folder, 'npm', 'install', '--before', BEFORE, '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts');
  await run(folder, 'npx', '--no-install', '@murmuration/client', 'init', '--yes', ...args);
  return folder;
}

/** A port of this machine that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

interface RunningCollector {
  /** The metrics that have reports. */
  readonly arrived: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

/** Runs the script that `init` has added, until it is closed. @throws {Error} with what it said if it ends */
async function collectorOf(folder: string, port: number): Promise<RunningCollector> {
  // A group of processes, because npm ends without what it has started.
  const child = spawn('npm', ['run', 'collector', '--', '--port', `${port}`], { cwd: folder, env: ENV, detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
  const ended = once(child, 'exit');
  const listens = expect.poll(() => said, { timeout: 120_000 }).toContain('listens on');
  await Promise.race([listens, ended.then(() => Promise.reject(new Error(said)))]);
  const reader = createReader(undefined, { url: `http://127.0.0.1:${port}` });
  return {
    arrived: async () => (await reader.metrics()).filter(({ reports }) => reports > 0).map(({ metric }) => metric),
    close: async () => {
      process.kill(-(child.pid as number), 'SIGTERM');
      await ended;
    },
  };
}

test.each(Object.entries(APPS))('%s builds what init writes, and a page of it asks, records and sends', async (_, app) => {
  const port = await freePort();
  const folder = await initialized(app, '--endpoint', `http://127.0.0.1:${port}`);
  if (app.build) await run(folder, 'npx', '--no-install', ...app.build.split(' '));
  const [site, collector] = await Promise.all([serveSite(join(folder, app.site)), collectorOf(folder, port)]);
  expect(await agree(browser, site.address, collector.arrived)).toEqual([]);
  expect(await collector.arrived()).toEqual(['darkMode']);
  await Promise.all([site.close(), collector.close()]);
});

test('Metro bundles for Android what init writes for Expo, and the background task of docs/react-native.md', async () => {
  const expo = APPS['expo'] as App;
  const docs = await readFile(new URL('../../docs/react-native.md', import.meta.url), 'utf8');
  const task = /^\/\/ in the app's entry file[\s\S]*?^```$/m.exec(docs)?.[0].slice(0, -3) ?? '';
  const folder = await initialized({
    ...expo,
    files: { ...expo.files, 'index.ts': `${expo.files['index.ts']}${task.replace('./src/', './')}` },
  });
  await run(folder, 'npx', '--no-install', 'expo', 'export', '--platform', 'android', '--no-bytecode', '--no-minify');
  const bundle = await run(folder, 'sh', '-c', 'cat dist/_expo/static/js/android/*');
  for (const trace of ['PRAGMA synchronous = EXTRA', 'getRandomValues', 'registerTaskAsync']) expect(bundle).toContain(trace);
  expect(bundle).not.toContain('explainDelivery'); // of modules for developers
});

test('a program asks in a terminal, records, and has sent when it ends', async () => {
  const program = "import { askConsent } from './telemetry/consent.js';\nimport { telemetry } from './telemetry/telemetry.js';\n";
  const lines = "await askConsent();\ntelemetry.record('plan', 'pro');\nawait telemetry.close();\n";
  const port = await freePort();
  const folder = await initialized({ packages: {}, files: { 'main.js': program + lines } }, '--endpoint', `http://127.0.0.1:${port}`);
  const collector = await collectorOf(folder, port);
  const home = join(folder, 'home');
  const terminal = `printf 'y\\n' | HOME=${home} script -qec '${process.execPath} main.js' /dev/null`;
  expect(await run(folder, 'sh', '-c', terminal)).toContain('[y/N]');
  expect(await collector.arrived()).toEqual(['plan']);
  await collector.close();
});
