/**
 * The behaviours in React Native's engine: the client's bundle goes through React Native's own Babel preset, runs in
 * a Hermes VM, an old one that has less than any that is in use, and compiles with today's Hermes compiler.
 */

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformAsync } from '@babel/core';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trace } from './behaviours.ts';
import type { Results } from './run.ts';

const FOLDERS: { readonly [platform: string]: string } = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' };
const require = createRequire(import.meta.url);

const platform = FOLDERS[process.platform] as string;
const vm = join(dirname(require.resolve('hermes-engine-cli/package.json')), platform, 'hermes');
const compiler = join(dirname(require.resolve('hermes-compiler/package.json')), 'hermesc', platform, 'hermesc');

let folder: string;
let script: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-hermes-'));
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'hermes-entry.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: { TRACE: JSON.stringify(await trace()) },
    write: false,
  });
  const transformed = await transformAsync(outputFiles[0]?.text ?? '', {
    presets: [[require.resolve('@react-native/babel-preset'), { unstable_transformProfile: 'default', enableBabelRuntime: false }]],
    filename: 'bundle.js',
    sourceType: 'script',
    babelrc: false,
    configFile: false,
    compact: false,
  });
  script = join(folder, 'bundle.js');
  await writeFile(script, transformed?.code ?? '');
});
afterAll(() => rm(folder, { recursive: true }));

test('every behaviour holds in the Hermes VM', () => {
  const output = execFileSync(vm, ['-w', script], { encoding: 'utf8', timeout: 300_000 });
  const { passed, failed } = JSON.parse(output) as Results;
  expect(failed).toEqual([]);
  expect(passed.length).toBeGreaterThan(10);
});

test("the bundle compiles with today's Hermes compiler", async () => {
  const bytecode = join(folder, 'bundle.hbc');
  execFileSync(compiler, ['-O', '-w', '-emit-binary', '-out', bytecode, script], {
    timeout: 300_000,
  });
  expect((await stat(bytecode)).size).toBeGreaterThan(10_000);
});
