/** `--schema FILE`: a module that exports `schema`, or the canonical JSON of one. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SchemaDocument } from '@murmuration/shared';
import { parseDocument, parseUnproven } from './catalog.ts';
import { UsageError } from './commands/usage.ts';

async function load(file: string, parse: (json: unknown) => SchemaDocument): Promise<SchemaDocument> {
  try {
    if (file.endsWith('.json')) return parse(JSON.parse(await readFile(file, 'utf8')));
    const module = (await import(pathToFileURL(resolve(file)).href)) as { readonly schema?: { readonly document?: unknown } };
    if (module.schema === undefined) throw new RangeError('expected an export named schema, got none');
    return parse(module.schema.document ?? module.schema);
  } catch (error) {
    throw new UsageError(`--schema ${file}: ${(error as Error).message}`);
  }
}

/**
 * The schema document that a file holds.
 *
 * @throws {UsageError} when the file can't be read, or holds no valid schema
 */
export const loadSchema = (file: string): Promise<SchemaDocument> => load(file, parseDocument);

/** The same, but what it spends may exceed what it claims. */
export const loadUnproven = (file: string): Promise<SchemaDocument> => load(file, parseUnproven);
