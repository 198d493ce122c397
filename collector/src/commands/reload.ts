/**
 * Reads `--schema` files again while the collector runs. Node keeps a module that it has loaded, so a process of its own loads each file anew,
 * with everything that it imports.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SchemaDocument } from '@murmuration/shared';
import type { Logger } from 'pino';
import type { Collector } from '../collector.ts';
import { parseDocument } from '../schemas/catalog.ts';

const run = promisify(execFile);

const MOST_BYTES = 2 ** 28;

/** A file's schema as it is now. @throws {Error} when the file holds none */
async function read(file: string): Promise<SchemaDocument> {
  const [, program = ''] = process.argv;
  const { stdout } = await run(process.execPath, [...process.execArgv, program, 'schema', '--schema', file, '--json'], {
    maxBuffer: MOST_BYTES,
  });
  return parseDocument((JSON.parse(stdout) as { readonly document: unknown }).document);
}

/** Replaces the schemas of a collector by what its files hold now. When one of them can't be read, everything stays as it was. */
export async function reloadSchemas(collector: Collector, files: readonly string[], log: Logger): Promise<void> {
  try {
    await collector.updateSchemas(await Promise.all(files.map(read)));
    log.info({ schemas: files }, 'the schemas were read again');
  } catch (error) {
    log.error({ err: error }, 'the schemas could not be read again, and stay as they were');
  }
}
