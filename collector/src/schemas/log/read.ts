/** Reads a collector's log of schemas over HTTP, and checks it: that its key has signed it, and that it still begins as it did. */

import type { Json, SchemaDocument } from '@murmuration/shared';
import { z } from 'zod';
import { Failure } from '../../base/fault.ts';
import { canonicalText, wireNameOf } from '../catalog.ts';
import { fingerprintOf, type LogEntry, parseEntry } from './entry.ts';
import { type Checkpoint, openCheckpoint } from './note.ts';
import { entriesIn, leafOf, pathOf, rootOf, TILE_WIDTH } from './tree.ts';

/** Where a collector has its log, and its statement that names the key. */
export const LOG = '/.well-known/murmuration-log';
const STATEMENT = '/.well-known/murmuration.json';

/** Bytes of an answer, and entries of a log, at most. */
const MOST_BYTES = 2 ** 26;
const MOST_ENTRIES = 100_000;

/** Milliseconds until an answer must be there. */
const PATIENCE = 20_000;

/** A collector's log, checked. */
export interface ReadLog {
  readonly checkpoint: Checkpoint;
  /** The checkpoint as it was signed. */
  readonly note: string;
  /** The key that has signed it. */
  readonly key: string;
  readonly entries: readonly LogEntry[];
  readonly leaves: readonly Buffer[];
}

/** Schemas that a collector's statement has in force, and the key of its log. */
export interface Statement {
  readonly key: string | undefined;
  /** Wire names, and the fingerprints of the documents that are shown. */
  readonly inForce: readonly { readonly schema: string; readonly fingerprint: string | undefined }[];
}

/** The parts of a statement that are looked at. */
const statementForm = z.looseObject({
  log: z.looseObject({ key: z.string() }).optional(),
  apps: z.array(
    z.looseObject({
      schemas: z.array(z.looseObject({ schema: z.string(), inForce: z.boolean(), document: z.record(z.string(), z.json()).optional() })),
    }),
  ),
});

/** The bytes at an address. @throws {Failure} when there is no answer, or it is too long */
async function get(address: URL | string): Promise<Buffer> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Failure(`${address}: expected status 200, got ${response.status}`);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new Failure(`${address}: expected at most ${MOST_BYTES} bytes, got more`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { message, cause } = error as Error;
    throw new Failure(`${address}: expected an answer, got ${cause instanceof Error ? cause.message : message}`);
  }
}

/** A collector's address without a slash at its end. */
const baseOf = (collector: string): string => collector.replace(/\/$/, '');

/** Reads a collector's statement. @throws {Failure} when there is none */
export async function readStatement(collector: string): Promise<Statement> {
  const address = `${baseOf(collector)}${STATEMENT}`;
  try {
    const { log, apps } = statementForm.parse(JSON.parse((await get(address)).toString()));
    const inForce = apps.flatMap(({ schemas }) => schemas).filter((each) => each.inForce);
    return {
      key: log?.key,
      inForce: inForce.map(({ schema, document }) => ({
        schema,
        fingerprint: document && fingerprintOf(document as unknown as SchemaDocument),
      })),
    };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${address}: expected the statement of a collector, got something else`);
  }
}

/**
 * Reads all of a collector's log, and computes its root.
 *
 * @param key the text of the key that must have signed it
 * @throws {Failure} when it can't be read, is another's, or is not what was signed
 */
export async function readLog(collector: string, key: string): Promise<ReadLog> {
  const base = `${baseOf(collector)}${LOG}`;
  const note = (await get(`${base}/checkpoint`)).toString();
  const checkpoint = openCheckpoint(note, key);
  const { size, root } = checkpoint;
  if (size > MOST_ENTRIES) throw new Failure(`${base}: expected at most ${MOST_ENTRIES} entries, got ${size}`);
  const bytes: Buffer[] = [];
  let length = 0;
  for (let index = 0; bytes.length < size; index++) {
    const width = Math.min(TILE_WIDTH, size - bytes.length);
    const tile = await get(`${base}/${pathOf({ level: undefined, index, width })}`);
    length += tile.length;
    if (length > MOST_BYTES) throw new Failure(`${base}: expected at most ${MOST_BYTES} bytes of entries, got more`);
    const bundle = entriesIn(tile);
    if (bundle.length !== width) throw new Failure(`${base}: expected ${width} entries in bundle ${index}, got ${bundle.length}`);
    bytes.push(...bundle);
  }
  const leaves = bytes.map(leafOf);
  const found = rootOf(leaves);
  if (!found.equals(root))
    throw new Failure(
      `${base}: expected entries with the root that was signed, ${root.toString('base64')}, got ${found.toString('base64')}`,
    );
  return { checkpoint, note, key, entries: bytes.map(parseEntry), leaves };
}

/**
 * Checks that a log still begins with what a checkpoint of it was signed over.
 *
 * @param before a checkpoint that the same key has signed
 * @throws {Failure} when it does not: the two notes together prove that the log was rewritten
 */
export function checkGrown({ leaves }: ReadLog, before: Checkpoint): void {
  const then = before.root.toString('base64');
  if (before.size > leaves.length)
    throw new Failure(`log: expected at least the ${before.size} entries that were signed before, got ${leaves.length}; it was rewritten`);
  const now = rootOf(leaves.slice(0, before.size)).toString('base64');
  if (now !== then)
    throw new Failure(
      `log: expected ${then} as the root of its first ${before.size} entries, as it was signed before, got ${now}; it was rewritten`,
    );
}

/** Reads the document of an entry. @throws {Failure} when it is missing, or another one */
export async function checkDocument(collector: string, { fingerprint, schema }: LogEntry): Promise<void> {
  const address = `${baseOf(collector)}${LOG}/schema/${fingerprint}`;
  const text = (await get(address)).toString();
  let found = 'something else';
  try {
    const document = JSON.parse(text) as SchemaDocument;
    // Another reader could take the first of two equal keys, or another number.
    if (canonicalText(document as unknown as Json) !== text) throw new RangeError('not canonical');
    found = `${JSON.stringify(wireNameOf(document))} with the fingerprint ${fingerprintOf(document)}`;
  } catch {
    // no document at all, or not in its one canonical form
  }
  const expected = `${JSON.stringify(schema)} with the fingerprint ${fingerprint}`;
  if (found !== expected) throw new Failure(`${address}: expected ${expected}, got ${found}`);
}
