/**
 * `init` in an app of each framework, installed from the registry as it was on a day, with the packed tarballs. The framework builds what
 * it wrote, and Chromium agrees to what it asks.
 */

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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

test.each(Object.entries(APPS))('%s builds what init writes, and a page of it asks, records and sends', async (_, app) => {
  const folder = await initialized(app, '--endpoint', '/t');
  const [command = '', ...args] = app.build.split(' ');
  await run(folder, 'npx', '--no-install', command, ...args);
  const site = await serveSite(join(folder, app.site));
  expect(await agree(browser, site, 'darkMode')).toEqual([]);
  await site.close();
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
  const site = await serveSite('/nowhere');
  const folder = await initialized({ packages: {}, files: { 'main.js': program + lines } }, '--endpoint', site.address);
  const home = join(folder, 'home');
  const terminal = `printf 'y\\n' | HOME=${home} script -qec '${process.execPath} main.js' /dev/null`;
  expect(await run(folder, 'sh', '-c', terminal)).toContain('[y/N]');
  expect(site.arrived).toEqual(['plan']);
  await site.close();
});
