/** Programs in React Native's engine: a bundle goes through React Native's own Babel preset, as Metro does it, and runs in a Hermes VM of 2022. */

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transformAsync } from '@babel/core';
import { build } from 'esbuild';

const FOLDERS: { readonly [platform: string]: string } = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' };
const PATIENCE = { encoding: 'utf8', timeout: 300_000 } as const;
const require = createRequire(import.meta.url);

const platform = FOLDERS[process.platform] as string;
const vm = join(dirname(require.resolve('hermes-engine-cli/package.json')), platform, 'hermes');
const compiler = join(dirname(require.resolve('hermes-compiler/package.json')), 'hermesc', platform, 'hermesc');

/**
 * Writes the script of a program.
 *
 * @param given values of global names that the program declares
 */
export async function writeHermesScript(script: string, entry: string, given: { readonly [name: string]: unknown }): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, JSON.stringify(value)])),
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
  await writeFile(script, transformed?.code ?? '');
}

/** Runs a script in the VM. Returns what it prints. */
export const runInHermes = (script: string): string => execFileSync(vm, ['-w', script], PATIENCE);

/** Compiles a script with the Hermes compiler of today. */
export const compileForHermes = (script: string, bytecode: string): void =>
  void execFileSync(compiler, ['-O', '-w', '-emit-binary', '-out', bytecode, script], PATIENCE);
