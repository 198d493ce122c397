/** Loads `--schema FILE`: a module that exports `schema`, or its canonical JSON. */

import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SchemaDocument } from '@murmuration/shared';
import { UsageError } from '../base/fault.ts';
import { parseDocument, parseUnproven } from './catalog.ts';

const { write } = process.stdout;

/** True for a module of an app, not of a package, that has imports or exports. */
const hasModuleSyntax = (url: string): boolean =>
  /^file:(?!.*\/node_modules\/).*\.js$/.test(url) &&
  /^(?:import\b\s*[\w{*'"]|export\b\s*[\w{*])/m.test(readFileSync(fileURLToPath(url), 'utf8'));

/**
 * Treats a `.ts` file, and a `.js` file with imports or exports, as an ES module even where its package.json has `"type": "commonjs"`, as
 * `npm init` writes it, or no type. Bundlers do the same.
 */
const takeAsModules = (): { deregister(): void } =>
  registerHooks({
    load: (url, context, next) => {
      const isOpen = [null, undefined, 'commonjs', 'commonjs-typescript'].includes(context.format);
      if (isOpen && url.endsWith('.ts')) return next(url, { ...context, format: 'module-typescript' });
      return next(url, isOpen && hasModuleSyntax(url) ? { ...context, format: 'module' } : context);
    },
  });

/**
 * Runs a module. Its output goes to standard error, because standard output belongs to the command. A module that exits the process counts
 * as failed.
 */
async function run(file: string, field: string): Promise<{ readonly schema?: unknown }> {
  const onExit = (): void => {
    process.exitCode = 2;
    process.stderr.write(`murmuration: ${field}: expected a module that loads, got one that ends the process\n`);
  };
  const hooks = takeAsModules();
  process.once('exit', onExit);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as { readonly schema?: unknown };
  } finally {
    hooks.deregister();
    process.stdout.write = write;
    process.off('exit', onExit);
  }
}

async function load(file: string, parse: (json: unknown) => SchemaDocument, option: string): Promise<SchemaDocument> {
  const field = `${option} ${file || '""'}`;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) throw new UsageError(`${field}: expected a file, got ${found ? 'a folder' : 'none'}`);
  try {
    if (file.endsWith('.json')) return parse(JSON.parse(await readFile(file, 'utf8')));
    const { schema } = await run(file, field);
    if (schema === undefined) throw new RangeError('expected an export named schema, got none');
    return parse((schema as { readonly document?: unknown } | null)?.document ?? schema);
  } catch (error) {
    throw new UsageError(`${field}: ${(error as Error).message}`);
  }
}

/**
 * Loads the schema document in a file. Files are loaded one after another.
 *
 * @param option the option that names the file
 * @throws {UsageError} when the file can't be read, or holds no valid schema
 */
export const loadSchema = (file: string, option = '--schema'): Promise<SchemaDocument> => load(file, parseDocument, option);

/** The same, but the schema may spend more than it claims. */
export const loadUnproven = (file: string, option = '--schema'): Promise<SchemaDocument> => load(file, parseUnproven, option);
