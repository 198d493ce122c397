/** Loads the schema of `--schema FILE`: a module that exports `schema`, in JavaScript or TypeScript, or its JSON. */

import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertDocument, type SchemaDocument } from '@murmuration/shared';
import { type Evaluated, evaluate } from '../plugin/evaluate.ts';

/** The document of a JSON file, alone or in the output of `murmuration schema --json`. */
function documentIn(json: string): SchemaDocument {
  const read = JSON.parse(json) as { readonly document?: unknown };
  const document: unknown = read.document ?? read;
  assertDocument(document);
  return document;
}

/** Runs a module with what Node can read itself, if esbuild is not installed: TypeScript from Node 22.18 on. */
async function run(file: string): Promise<Pick<Evaluated, 'document'> | undefined> {
  const { schema } = (await import(pathToFileURL(file).href)) as { readonly schema?: Pick<Evaluated, 'document'> };
  return schema;
}

/**
 * Loads a schema's document.
 *
 * @throws {Error} that names the file, if it can't be read or holds no valid schema
 */
export async function loadSchema(path: string): Promise<SchemaDocument> {
  const file = resolve(path);
  try {
    if (file.endsWith('.json')) return documentIn(await readFile(file, 'utf8'));
    await readFile(file); // says in few words that there is none
    const hasEsbuild = await import('esbuild').then(
      () => true,
      () => false,
    );
    const schema = hasEsbuild ? await evaluate(`export { schema as default } from './${basename(file)}';`, file) : await run(file);
    if (schema === undefined) throw new Error('expected an export named schema that needs no browser, got none');
    return schema.document;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isForeign = code === 'ERR_UNKNOWN_FILE_EXTENSION' || message.includes('outside a module');
    const fix = isForeign ? ' (with esbuild it is read on this Node: npm i -D esbuild)' : '';
    throw new Error(`--schema ${path}: ${message}${fix}`);
  }
}
