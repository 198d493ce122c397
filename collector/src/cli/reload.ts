/**
 * Reads `--schema` files again while the collector runs. Node keeps a module that it has loaded, so a process of its own loads each file again,
 * with everything that it imports.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SchemaDocument } from '@murmuration/shared';
import type { Logger } from 'pino';
import { parseDocument } from '../schemas/catalog.ts';
import type { Collector } from '../server/collector.ts';

const run = promisify(execFile);

const MOST_BYTES = 2 ** 28;

/** Milliseconds that a file may take. */
const LONGEST = 60_000;

/** A file's schema as it is now. @throws {Error} when the file holds none, or does not load in time */
async function readAnew(file: string): Promise<SchemaDocument> {
  const [, program = ''] = process.argv;
  const reading = run(process.execPath, [...process.execArgv, program, 'schema', '--schema', file, '--json'], {
    maxBuffer: MOST_BYTES,
    timeout: LONGEST,
    killSignal: 'SIGKILL',
  });
  const stop = (): void => void reading.child.kill('SIGKILL');
  process.once('exit', stop); // a module that never loads must not outlive the collector
  try {
    return parseDocument((JSON.parse((await reading).stdout) as { readonly document: unknown }).document);
  } finally {
    process.off('exit', stop);
  }
}

/**
 * Returns the function that replaces the schemas of a collector by what its files hold now. When one of them can't be read, everything stays
 * as it was. Anyone who asks while files are read is answered by one more reading: the latest state wins, and many signals cost no more than
 * two.
 *
 * @param read reads a file
 */
export function createReload(
  collector: Pick<Collector, 'updateSchemas'>,
  files: readonly string[],
  log: Pick<Logger, 'info' | 'error'>,
  read: (file: string) => Promise<SchemaDocument> = readAnew,
): () => Promise<void> {
  const reload = async (): Promise<void> => {
    try {
      const schemas: SchemaDocument[] = [];
      for (const file of files) schemas.push(await read(file));
      await collector.updateSchemas(schemas);
      log.info({ schemas: files }, 'the schemas were read again');
    } catch (error) {
      log.error({ err: error }, 'the schemas could not be read again, and stay as they were');
    }
  };
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    running = reload().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    next = running.then(begin);
    return next;
  };
}
