/** Bundles the scripts of the examples. */

import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

/** A script for a page, as text. `options` go to esbuild. */
export async function bundle(entry: URL, options: Pick<BuildOptions, 'alias' | 'absWorkingDir' | 'format'> = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
}
