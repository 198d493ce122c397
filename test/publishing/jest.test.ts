/** The packed client in projects that Jest tests, as client/README.md says: with its preset, beside another one, and as ES modules. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { first } from '../setup/effort.ts';
import { installPacked, newApp, packOnce } from './packed.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const JSDOM = resolve('jest-environment-jsdom');

let app: string;
/** The names that each subpath exports. Svelte has no build for CommonJS, and nobody tests with the preset itself. */
let names: { readonly [path: string]: readonly string[] };

beforeAll(async () => {
  const packed = await packOnce();
  app = await newApp(packed);
  await installPacked(packed, app, ['shared', 'client']);
  for (const name of ['react', 'react-dom'])
    await symlink(join(repository, 'examples/node_modules', name), join(app, 'node_modules', name));
  const { exports } = JSON.parse(await readFile(join(repository, 'client/package.json'), 'utf8')) as { readonly exports: object };
  const paths = Object.keys(exports).flatMap((path) =>
    ['./command', './components/svelte', './jest-preset', './plugin'].includes(path) ? [] : [`@murmuration/client${path.slice(1)}`],
  );
  const modules = ['@murmuration/shared', ...paths].map(async (path) => [path, Object.keys(await import(path)).sort()] as const);
  names = Object.fromEntries(await Promise.all(modules));
  for (const folder of ['required', 'imported', 'other']) await mkdir(join(app, folder));
  await write('package.json', '{}');
  await write('other/jest-preset.json', '{ "testTimeout": 60000 }');
  await write('required/names.test.js', NAMES);
  await write('required/app.test.js', APP);
  await write('required/component.test.js', COMPONENT);
  await write('imported/app.test.mjs', APP.replace(/const (.*) = require\((.*)\);/g, 'import $1 from $2;'));
});

const write = (file: string, text: string): Promise<void> => writeFile(join(app, file), text);

/** An app's tests, with a question whose strings are hashed. */
const APP = `
const { createTelemetry, defineSchema, choice, text, memoryStorage } = require('@murmuration/client');
const { assertAnswered, assertRecorded, fakeClock, memoryTransport, recording, seededRng } = require('@murmuration/client/testing');
const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 2, per: 'month' }, metrics: { plan: choice(['free', 'pro'], ask), page: text(ask) } });
test.each([undefined, seededRng(1)])('a record is sent', async (rng) => {
  const sent = memoryTransport(schema);
  const own = { storage: memoryStorage(), transport: sent.transport, clock: fakeClock(new Date('2026-11-20')), ...(rng && { rng }) };
  const telemetry = recording(createTelemetry({ schema, endpoint: '/', consent: 'granted', ...own }));
  telemetry.record('plan', 'pro');
  telemetry.record('page', 'naïve');
  assertAnswered(telemetry, 'plan', 'pro');
  await assertRecorded(telemetry, 'page');
  await telemetry.close();
  await assertRecorded(sent, 'plan');
  await assertRecorded(sent, 'page');
});
test('the checks for developers run', () => {
  expect(() => defineSchema({ app: 'notes', version: 0, budget: { epsilon: 2, per: 'month' }, metrics: { page: text(ask) } })).toThrow('version');
});
`;
/** All modules, each once: what one entry keeps another one finds. */
const NAMES = `
const names = JSON.parse(process.env.NAMES);
test.each(Object.keys(names))('%s exports what it does elsewhere', (path) => {
  expect(Object.keys(require(path)).sort()).toEqual(names[path]);
});
test('entries share their modules', () => {
  const { createTelemetry, defineSchema, flag, memoryStorage } = require('@murmuration/client');
  const { historyOf, withHistory } = require('@murmuration/client/history');
  expect(require('@murmuration/client').flag).toBe(flag);
  const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { dark: flag({ epsilon: 1, description: 'x' }) } });
  const spill = { length: 0, key: () => null, getItem: () => null, setItem: () => {}, removeItem: () => {} };
  withHistory({ schema, endpoint: '/', storage: { ...memoryStorage(), spill } });
  expect(historyOf(schema)).toEqual([]);
});
`;
const COMPONENT = `
/** @jest-environment ${JSDOM} */
const { act, createElement, StrictMode } = require('react');
const { createRoot } = require('react-dom/client');
const { defineSchema, flag, memoryStorage } = require('@murmuration/client');
const { useRecordOnce } = require('@murmuration/client/react');
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { dark: flag({ epsilon: 1, description: 'x' }) } });
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
test('a component records once', async () => {
  const outcomes = [];
  const options = { schema, endpoint: '/', consent: 'granted', storage: memoryStorage(), onOutcome: ({ result }) => outcomes.push(result) };
  const Theme = () => void useRecordOnce(options, 'dark', true) ?? null;
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  await act(async () => root.render(createElement(StrictMode, null, createElement(Theme))));
  expect(outcomes).toEqual(['recorded']);
  await act(async () => root.unmount());
});
`;

/** Runs Jest in the project. Returns how many tests passed and what failed. */
async function jest(config: string, folder: string, environment: NodeJS.ProcessEnv = {}): Promise<readonly unknown[]> {
  await write('jest.config.mjs', config);
  const args = [join(repository, 'node_modules/jest/bin/jest.js'), '--json', '--no-cache', '--testMatch', `**/${folder}/**`];
  const env = { ...process.env, NODE_ENV: 'test', NAMES: JSON.stringify(names), ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: app, env }).catch(
    (error: { readonly stdout: string }) => error,
  );
  const result = JSON.parse(stdout) as {
    readonly numPassedTests: number;
    readonly testResults: readonly { readonly status: string; readonly message: string }[];
  };
  return [result.numPassedTests, result.testResults.flatMap(({ status, message }) => (status === 'passed' ? [] : [message]))];
}

/** Tests in the folder of those that call \`require\`. */
const REQUIRED = 3 + 1 + 1;

describe('Jest', () => {
  const settings = [
    ['as pages are tested', `export default { preset: '@murmuration/client', testEnvironment: ${JSON.stringify(JSDOM)} };`],
    ['in Node', "export default { preset: '@murmuration/client' };"],
    [
      'with the conditions of React Native',
      "export default { preset: '@murmuration/client', testEnvironmentOptions: { customExportConditions: ['require', 'react-native'] } };",
    ],
    [
      'beside another preset',
      "import murmuration from '@murmuration/client/jest-preset'; export default { preset: './other/jest-preset.json', ...murmuration };",
    ],
  ] as const;
  test.each(first(settings, 2))('%s runs tests that require the client', async (_name, config) => {
    expect(await jest(config, 'required')).toEqual([REQUIRED + Object.keys(names).length, []]);
  });

  test.each(['export default {};', "export default { preset: '@murmuration/client' };"])(
    'that runs ES modules takes the client as it is: %s',
    async (config) => {
      expect(await jest(config, 'imported', { NODE_OPTIONS: '--experimental-vm-modules' })).toEqual([3, []]);
    },
  );
});
