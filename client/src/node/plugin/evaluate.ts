/** Evaluates a schema on the machine that builds the app, with all checks of development. */

import { dirname } from 'node:path';
import type { Schema } from '@murmuration/shared';

/** A module is run once, from its text. */
const addressOf = (text: string): string => `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;

/**
 * Evaluates a module that exports a schema as its default.
 *
 * @param file the file that it is a part of, from which its imports are resolved
 * @returns undefined if it needs something that is not there at build time
 * @throws {Error} what the checks of the schema say
 */
export async function evaluate(module: string, file: string): Promise<Schema | undefined> {
  const { build } = await import('esbuild');
  const built = await build({
    stdin: { contents: module, resolveDir: dirname(file), sourcefile: file, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['development'],
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'silent',
  }).catch(() => undefined); // an import that only the app's own build resolves
  const text = built?.outputFiles?.[0]?.text;
  if (text === undefined) return undefined;
  try {
    return ((await import(addressOf(text))) as { readonly default: Schema }).default;
  } catch (error) {
    if ((error as Error).name === 'ReferenceError') return undefined;
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}
