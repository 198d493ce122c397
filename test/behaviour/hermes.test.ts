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

/** The path of a program that an npm package holds for this platform. */
const program = (packageName: string, folder: string, name: string): string =>
  join(dirname(require.resolve(`${packageName}/package.json`)), folder, FOLDERS[process.platform] as string, name);

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
  const output = execFileSync(program('hermes-engine-cli', '', 'hermes'), ['-w', script], { encoding: 'utf8', timeout: 60_000 });
  const { passed, failed } = JSON.parse(output) as Results;
  expect(failed).toEqual([]);
  expect(passed.length).toBeGreaterThan(10);
});

test("the bundle compiles with today's Hermes compiler", async () => {
  const bytecode = join(folder, 'bundle.hbc');
  execFileSync(program('hermes-compiler', 'hermesc', 'hermesc'), ['-O', '-w', '-emit-binary', '-out', bytecode, script], {
    timeout: 60_000,
  });
  expect((await stat(bytecode)).size).toBeGreaterThan(10_000);
});
