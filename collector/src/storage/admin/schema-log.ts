/**
 * The transparency log of schemas: append-only rows in the order of the log, and the key that signs it. A schema that is published with other
 * descriptions is another document, and logged again.
 */

import type { DatabaseSync } from 'node:sqlite';
import { dayNumber, type Json, type SchemaDocument } from '@murmuration/shared';
import { canonicalText } from '../../schemas/catalog.ts';
import { entryText, fingerprintOf, type LogEntry, publishedEntry, retiredEntry } from '../../schemas/log/entry.ts';
import { createLogKey, type LogKey } from '../../schemas/log/note.ts';
import { transaction } from '../files/database.ts';

/** A log as it is now. */
export interface SchemaLog {
  /** Entries, in their order. */
  readonly entries: readonly string[];
  readonly key: LogKey;
}

const entriesOf = (database: DatabaseSync): readonly string[] =>
  database
    .prepare('SELECT entry FROM schema_log ORDER BY n')
    .all()
    .map(({ entry }) => entry as string);

/** The log; undefined before its first entry. */
export function schemaLog(database: DatabaseSync): SchemaLog | undefined {
  const key = database.prepare('SELECT name, secret FROM log_key').get();
  return key && { entries: entriesOf(database), key: key as unknown as LogKey };
}

/** The canonical JSON of a document in the log, by its fingerprint. */
export const loggedDocument = (database: DatabaseSync, fingerprint: string): string | undefined =>
  database.prepare('SELECT document FROM schema_log WHERE fingerprint = ?').get(fingerprint)?.['document'] as string | undefined;

/** The retired schemas of the table, by wire name. */
const retiredIn = (database: DatabaseSync): readonly string[] =>
  database
    .prepare('SELECT schema FROM schema WHERE retired IS NOT NULL ORDER BY retired, schema')
    .all()
    .map(({ schema }) => schema as string);

/** The entries that the log lacks, with their documents. */
function missing(database: DatabaseSync, documents: readonly SchemaDocument[]): readonly (readonly [LogEntry, SchemaDocument?])[] {
  const logged = entriesOf(database).map((text) => JSON.parse(text) as LogEntry);
  const known = new Set(logged.map(({ fingerprint }) => fingerprint));
  const retired = new Set(logged.flatMap(({ schema, what }) => (what === 'retired' ? [schema] : [])));
  const today = dayNumber(Date.now());
  return [
    ...[...new Map(documents.map((document) => [fingerprintOf(document), document]))]
      .filter(([fingerprint]) => !known.has(fingerprint))
      .map(([, document]) => [publishedEntry(document, today), document] as const),
    ...retiredIn(database)
      .filter((schema) => !retired.has(schema))
      .map((schema) => [retiredEntry(schema, today)] as const),
  ];
}

/** True if the log has these documents and all that was retired, so that `logSchemas` would write nothing. */
export const isLogged = (database: DatabaseSync, documents: readonly SchemaDocument[]): boolean =>
  missing(database, documents).length === 0;

/** Appends what the log lacks of these documents and of what was retired, in a transaction of the caller's. */
export function appendSchemas(database: DatabaseSync, documents: readonly SchemaDocument[]): void {
  const lacks = missing(database, documents);
  const key = database.prepare('SELECT 1 FROM log_key').get();
  if (lacks.length > 0 && key === undefined) {
    const { name, secret } = createLogKey();
    database.prepare('INSERT INTO log_key (name, secret) VALUES (?, ?)').run(name, secret);
  }
  const put = database.prepare(
    'INSERT INTO schema_log (n, entry, fingerprint, document) VALUES ((SELECT count(*) FROM schema_log), ?, ?, ?)',
  );
  for (const [entry, document] of lacks)
    put.run(entryText(entry), entry.fingerprint ?? null, document === undefined ? null : canonicalText(document as unknown as Json));
}

/** The same, in a transaction of its own. */
export const logSchemas = (database: DatabaseSync, documents: readonly SchemaDocument[]): void =>
  transaction(database, () => appendSchemas(database, documents));
