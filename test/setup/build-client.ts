/** Bundles the client for pages without a bundler: three classic scripts with the global `murmuration`, and an ES module. */

import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { minify } from 'terser';
import { murmurHash } from './build-modules.ts';

/** The classic scripts: one that loads another, one with flag and choice, and one with everything including the inspector. */
export const SCRIPTS = { 'murmuration.lazy.min.js': 'lazy', 'murmuration.min.js': 'core', 'murmuration.all.min.js': 'all' } as const;

/** A classic script, without the checks for developers. The licences of bundled code are at its end. */
const classic = (entry: (typeof SCRIPTS)[keyof typeof SCRIPTS]): BuildOptions => ({
  entryPoints: [`src/script/${entry}.ts`],
  bundle: true,
  target: 'es2022',
  format: 'iife',
  globalName: 'murmuration',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'eof',
  plugins: [murmurHash],
});

/** The text of a classic script. What esbuild leaves, terser shortens by 4 %. */
export async function scriptText(entry: (typeof SCRIPTS)[keyof typeof SCRIPTS], client: URL): Promise<string> {
  const { outputFiles } = await build({ absWorkingDir: fileURLToPath(client), ...classic(entry), write: false });
  const { code = '' } = await minify(outputFiles?.[0]?.text ?? '', { ecma: 2020, format: { comments: 'some' } });
  return code;
}

/** Writes murmuration.js. esbuild names each bundled file, and where this machine keeps packages is nobody's business. */
async function buildReadable(client: URL): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(client),
    ...classic('all'),
    format: 'esm',
    minify: false,
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
  });
  const text = (outputFiles?.[0]?.text ?? '').replace(/^( *\/\/ )\S*node_modules\//gm, '$1');
  await writeFile(new URL('dist/browser/murmuration.js', client), text);
}

/**
 * Writes the scripts, and murmuration.js: everything as a readable module, with the checks. The build is reproducible.
 *
 * @param client the folder of the package
 * @returns by script, the hash for its `integrity` attribute (Subresource Integrity)
 */
export async function buildClient(client: URL = new URL('../../client/', import.meta.url)): Promise<{ readonly [script: string]: string }> {
  await mkdir(new URL('dist/browser/', client), { recursive: true });
  const [, ...hashes] = await Promise.all([
    buildReadable(client),
    ...Object.entries(SCRIPTS).map(async ([script, entry]) => {
      const text = await scriptText(entry, client);
      await writeFile(new URL(`dist/browser/${script}`, client), text);
      return [script, `sha384-${createHash('sha384').update(text).digest('base64')}`];
    }),
  ]);
  return Object.fromEntries(hashes);
}
