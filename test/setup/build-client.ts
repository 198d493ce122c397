/** Bundles the client for pages without a bundler: an ES module, and a classic script with the global `murmuration`. */

import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const path = (relative: string): string => fileURLToPath(new URL(`../../client/${relative}`, import.meta.url));

/** Writes client/dist/browser/murmuration.js and murmuration.min.js. The same sources give the same bytes. */
export async function buildClient(): Promise<void> {
  const common: BuildOptions = {
    entryPoints: [path('src/index.ts')],
    bundle: true,
    target: 'es2022',
    legalComments: 'none',
    absWorkingDir: path(''),
  };
  await Promise.all([
    build({ ...common, format: 'esm', outfile: path('dist/browser/murmuration.js') }),
    build({ ...common, format: 'iife', globalName: 'murmuration', minify: true, outfile: path('dist/browser/murmuration.min.js') }),
  ]);
}
