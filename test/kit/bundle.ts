/** A program as a page would load it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { type PluginOption, build as viteBuild } from 'vite';
import { scriptText } from '../setup/build-client.ts';

export interface Bundle {
  /** Compressed as servers do it: brotli, quality 11. */
  readonly bytes: number;
  readonly text: string;
  /** The files that left something in it. */
  readonly files: readonly string[];
}

const compressed = (text: string): number => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** The compressed size of a classic script, as it is published. */
export const scriptBytes = async (entry: Parameters<typeof scriptText>[0]): Promise<number> =>
  compressed(await scriptText(entry, new URL('../../client/', import.meta.url)));

/** The options of every bundle. */
const OPTIONS = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** The compressed size of all files of a program that imports a module later. */
export async function splitBytes(contents: string, path: string, later: string): Promise<number> {
  const module: Plugin = {
    name: 'later',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^\./ }, (asked) => (asked.path === path ? { path, namespace: 'later' } : undefined));
      onLoad({ filter: /^/, namespace: 'later' }, () => ({ contents: later, resolveDir: TESTS }));
    },
  };
  const { outputFiles } = await build({
    ...OPTIONS,
    stdin: { contents, resolveDir: TESTS },
    plugins: [module],
    splitting: true,
    outdir: TESTS,
  });
  return outputFiles.reduce((sum, { text }) => sum + compressed(text), 0);
}

/** The compressed size of a program that Vite builds and minifies. */
export async function viteBytes(contents: string, plugins: PluginOption[]): Promise<number> {
  const file = join(TESTS, `.vite-program-${process.pid}.js`);
  await writeFile(file, contents);
  const built = await viteBuild({
    root: TESTS,
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' }, // vitest sets another
    plugins,
    build: { write: false, target: 'es2022', modulePreload: false, rolldownOptions: { input: file } },
  }).finally(() => rm(file));
  const outputs = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
  return outputs.reduce((sum, output) => sum + (output.type === 'chunk' ? compressed(output.code) : 0), 0);
}

/**
 * Bundles a program.
 *
 * @param folder where its imports are looked for; this workspace's tests when left out
 * @throws {Error} what esbuild can't resolve
 */
export async function bundle(
  contents: string,
  options: Pick<BuildOptions, 'minify' | 'external' | 'plugins'> = {},
  folder: string = TESTS,
): Promise<Bundle> {
  // A plugin sees files only, and writes others beside the bundle.
  const file = join(folder, `.program-${process.pid}.js`);
  const outdir = await mkdtemp(join(tmpdir(), 'murmuration-bundle-'));
  if (options.plugins) await writeFile(file, contents);
  const entry = options.plugins ? { entryPoints: [file], outdir } : { stdin: { contents, resolveDir: folder } };
  const built = await build({
    ...entry,
    ...OPTIONS,
    metafile: true,
    ...options,
  }).finally(() => Promise.all([file, outdir].map((path) => rm(path, { recursive: true, force: true }))));
  const { outputFiles = [], metafile } = built;
  const text = outputFiles.find(({ path }) => !path.endsWith('.json'))?.text ?? '';
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  return {
    bytes: compressed(text),
    text,
    files: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
  };
}

/**
 * An app that asks a flag and a choice, starts telemetry and records both.
 *
 * @param names what else it imports from `@murmuration/client`
 * @param metric what else it asks
 * @param subpath a line that imports a subpath, and uses what it imports
 */
export const program = (names = '', metric = '', subpath = ''): string => `
  ${subpath}
  import { createTelemetry, defineSchema, flag, choice${names && `, ${names}`} } from '@murmuration/client';
  const schema = defineSchema({ app:'a', version:1, budget:{epsilon:9, per:'month'}, metrics:{
    a: flag({epsilon:1,description:'x'}), b: choice(['x','y'],{epsilon:1,description:'y'})${metric && `, c: ${metric}`} } });
  const t = createTelemetry({ schema, endpoint:'/t' });
  t.consent.grant(); t.record('a', true); t.record('b','x');`;
