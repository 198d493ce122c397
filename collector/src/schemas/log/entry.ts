/** The entries of the log of schemas: each says that a schema was published or retired, on a day. */

import { hash } from 'node:crypto';
import { dayText, type Json, type SchemaDocument } from '@murmuration/shared';
import { z } from 'zod';
import { canonicalText, wireNameOf } from '../catalog.ts';

/** An entry. */
export interface LogEntry {
  /** The day on which it was logged, in UTC. */
  readonly day: string;
  /** SHA-256 of the document's canonical JSON, in hex; absent when it was retired. */
  readonly fingerprint?: string;
  /** Wire name. */
  readonly schema: string;
  readonly what: 'published' | 'retired';
}

/** Wire names hold nothing that a terminal obeys. */
const wire = z.string().regex(/^[A-Za-z][\w.-]{0,63}\/\d+\/[0-9a-f]{16}$/);

const form: z.ZodType<LogEntry> = z.discriminatedUnion('what', [
  z.strictObject({ day: z.iso.date(), fingerprint: z.string().regex(/^[0-9a-f]{64}$/), schema: wire, what: z.literal('published') }),
  z.strictObject({ day: z.iso.date(), schema: wire, what: z.literal('retired') }),
]);

/** The fingerprint of a document, as the audit states it. */
export const fingerprintOf = (document: SchemaDocument): string => hash('sha256', canonicalText(document as unknown as Json));

/** The bytes of an entry: its canonical JSON. */
export const entryText = (logged: LogEntry): string => canonicalText(logged as unknown as Json);

/** The entry that says that a schema is published. */
export const publishedEntry = (document: SchemaDocument, day: number): LogEntry => ({
  day: dayText(day),
  fingerprint: fingerprintOf(document),
  schema: wireNameOf(document),
  what: 'published',
});

/** The entry that says that it was retired. */
export const retiredEntry = (schema: string, day: number): LogEntry => ({ day: dayText(day), schema, what: 'retired' });

/** @throws {RangeError} when the bytes are no entry */
export function parseEntry(bytes: Uint8Array): LogEntry {
  try {
    const entry = form.parse(JSON.parse(Buffer.from(bytes).toString()));
    // In its one form: another reader could take the first of two equal keys.
    if (Buffer.from(entryText(entry)).equals(bytes)) return entry;
  } catch {
    // refused below
  }
  throw new RangeError(
    `entry: expected day, schema and what as canonical JSON, got ${JSON.stringify(Buffer.from(bytes).toString().slice(0, 120))}`,
  );
}
