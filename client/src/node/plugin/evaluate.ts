/**
 * Evaluates a schema on the machine that builds the app, with all checks of development. Modules that it imports run, too: in a worker thread
 * that ends with the evaluation, and where nothing tells the place, the time or a random number.
 */

import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Schema } from '@murmuration/shared';

/** The part of a schema that is data. */
export type Evaluated = Pick<Schema, 'document' | 'wire'>;

/** Names that mean something else on the machine that builds the app, or in each run. */
export const PLACES: ReadonlySet<string> = new Set(
  'crypto document fetch globalThis localStorage location navigator performance process self window'.split(' '),
);

/** A module is run once, from its text. */
const addressOf = (text: string): URL => new URL(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);

/** A module that posts the schema of another, or nothing if that looked for what is known only where the app runs. */
const posting = (text: string): string => `
import { parentPort } from 'node:worker_threads';
let isUnknown = false;
const unknown = () => {
  isUnknown = true;
  throw new ReferenceError('not known at build time');
};
for (const name of ${JSON.stringify([...PLACES].filter((name) => name !== 'globalThis'))}) Object.defineProperty(globalThis, name, { get: unknown });
Math.random = Date.now = unknown;
globalThis.Date = new Proxy(Date, { construct: (date, values) => (values.length > 0 ? new date(...values) : unknown()), apply: unknown });
let schema;
try {
  ({ default: schema } = await import(${JSON.stringify(addressOf(text))}));
} catch (error) {
  if (!isUnknown && !(error instanceof ReferenceError)) throw error;
  isUnknown = true;
}
parentPort.postMessage(isUnknown ? undefined : { document: schema.document, wire: schema.wire });
`;

/** Runs a module that exports a schema as its default, with the packages of one environment. */
async function run(module: string, file: string, environment: string): Promise<Evaluated | undefined> {
  const { build } = await import('esbuild');
  const built = await build({
    stdin: { contents: module, resolveDir: dirname(file), sourcefile: file, loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: [environment],
    define: { 'process.env.NODE_ENV': JSON.stringify(environment) },
    logLevel: 'silent',
  }).catch(() => undefined); // an import that only the app's own build resolves
  const text = built?.outputFiles?.[0]?.text;
  if (text === undefined) return undefined;
  const worker = new Worker(addressOf(posting(text)));
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', () => resolve(undefined)); // it waits for what never comes
    });
  } finally {
    await worker.terminate();
  }
}

/**
 * Evaluates a module that exports a schema as its default.
 *
 * @param file the file that it is a part of, from which its imports are resolved
 * @returns undefined if it needs something that is not there at build time, or if NODE_ENV changes it
 * @throws {Error} what the checks of the schema say
 */
export async function evaluate(module: string, file: string): Promise<Evaluated | undefined> {
  try {
    const schema = await run(module, file, 'development');
    return schema && schema.wire === (await run(module, file, 'production'))?.wire ? schema : undefined;
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}
