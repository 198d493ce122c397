/** Bundles the client for pages without a bundler: an ES module, and a classic script with the global `murmuration`. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

/**
 * Writes dist/browser/murmuration.js and murmuration.min.js. The same sources give the same bytes.
 *
 * @param client the folder of the package
 * @returns the hash for the script's `integrity` attribute (Subresource Integrity)
 */
export async function buildClient(client: URL = new URL('../../client/', import.meta.url)): Promise<string> {
  const path = (relative: string): string => fileURLToPath(new URL(relative, client));
  const common: BuildOptions = {
    entryPoints: [path('src/index.ts')],
    bundle: true,
    target: 'es2022',
    legalComments: 'none',
    absWorkingDir: path(''),
  };
  const script = path('dist/browser/murmuration.min.js');
  await Promise.all([
    build({ ...common, format: 'esm', outfile: path('dist/browser/murmuration.js') }),
    build({ ...common, format: 'iife', globalName: 'murmuration', minify: true, outfile: script }),
  ]);
  return `sha384-${createHash('sha384')
    .update(await readFile(script))
    .digest('base64')}`;
}
