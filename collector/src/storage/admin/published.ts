/** The schemas that were published or retired by command. A running collector takes up both without a restart. */

import type { DatabaseSync } from 'node:sqlite';
import { dayNumber, type SchemaDocument } from '@murmuration/shared';
import { InternalFault } from '../../base/fault.ts';
import { wireNameOf } from '../../schemas/catalog.ts';
import { type Change, changesBy, isRefused } from '../../schemas/compare.ts';
import { transaction } from '../files/database.ts';
import { logAction } from './database.ts';
import { appendSchemas } from './schema-log.ts';

/** A schema that was published or retired. */
export interface PublishedSchema {
  /** Wire name. */
  readonly schema: string;
  /** Absent for a schema that was retired and never published here. */
  readonly document?: SchemaDocument;
  /** Days since 1970-01-01. */
  readonly published?: number;
  readonly retired?: number;
}

/** Every schema that was published or retired. */
export function listSchemas(database: DatabaseSync): readonly PublishedSchema[] {
  const rows = database.prepare('SELECT schema, document, published, retired FROM schema ORDER BY published, schema').all();
  return rows.map(({ schema, document, published, retired }) => ({
    schema: schema as string,
    ...(document !== null && { document: JSON.parse(document as string) as SchemaDocument }),
    ...(published !== null && { published: published as number }),
    ...(retired !== null && { retired: retired as number }),
  }));
}

/** The table as text, to see whether it has changed. */
export const schemaTable = (database: DatabaseSync): string =>
  JSON.stringify(database.prepare('SELECT schema, document, retired FROM schema ORDER BY schema').all());

/** Changes by publishing a schema. */
export interface Publication {
  readonly schema: string;
  readonly changes: readonly Change[];
  /** True if it was published before with the same descriptions, so that publishing it changes nothing. */
  readonly isKnown: boolean;
}

/** The error of a transaction that must leave nothing behind. It says nothing: its catcher knows why. */
class Refused extends InternalFault {}

/**
 * Publishes schemas, all of them or none.
 *
 * @param accepts whether changes that make devices spend ε again are accepted
 * @returns what each of them changes, and whether they were published
 * @throws {RangeError} when one of them was retired
 */
export function publishSchemas(
  database: DatabaseSync,
  who: string,
  documents: readonly SchemaDocument[],
  accepts: boolean,
): { readonly publications: readonly Publication[]; readonly done: boolean } {
  const publications: Publication[] = [];
  const put = database.prepare(
    'INSERT INTO schema (schema, document, published) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET document = excluded.document',
  );
  try {
    transaction(database, () => {
      for (const document of documents) {
        const schema = wireNameOf(document);
        const known = listSchemas(database);
        if (known.some((each) => each.schema === schema && each.retired !== undefined))
          throw new RangeError(`${schema}: expected a schema that was not retired, since devices ask it no more; publish a new version`);
        const isKnown = known.some((each) => each.schema === schema && JSON.stringify(each.document) === JSON.stringify(document));
        // Retired versions too: their devices may update to this one, and what they have spent counts.
        const changes = changesBy(
          document,
          known.flatMap(({ document: other }) => other ?? []),
        );
        publications.push({ schema, changes, isKnown });
        if (isKnown) continue;
        put.run(schema, JSON.stringify(document), dayNumber(Date.now()));
        const accepted = changes.filter(({ spends }) => spends !== undefined).map(({ what }) => what);
        logAction(database, who, [`published ${schema}`, ...accepted.map((what) => `accepted: ${what}`)].join('; '), document.app);
      }
      if (publications.some(({ changes }) => isRefused(changes, accepts))) throw new Refused('a change is not allowed');
      appendSchemas(database, documents);
    });
    return { publications, done: true };
  } catch (error) {
    if (error instanceof Refused) return { publications, done: false };
    throw error;
  }
}

/** The wire name that is meant: a whole one, or the only known one of an app and a version. @throws {RangeError} when there is none, or several */
function wireNamed(which: string, known: readonly string[]): string {
  if (/^[A-Za-z][\w.-]{0,63}\/\d+\/[0-9a-f]{16}$/.test(which)) return which;
  const named = [...new Set(known.filter((schema) => schema.slice(0, schema.lastIndexOf('/')) === which))];
  const [only, another] = named;
  if (only === undefined)
    throw new RangeError(
      `expected a schema that was published or has reports, as app/version, or any other as its file or as app/version/checksum, got ${JSON.stringify(which)}`,
    );
  if (another !== undefined)
    throw new RangeError(`expected one of ${named.join(', ')}, got ${JSON.stringify(which)}, which all of them are`);
  return only;
}

/**
 * Retires a schema for ever: devices stop asking it. What was reported stays readable.
 *
 * @param which its wire name, or `app/version` of a published one, or of one with reports
 * @param reported wire names of schemas that a store has reports of
 * @throws {RangeError} when it is none of them, more than one, or retired already
 */
export function retireSchema(database: DatabaseSync, who: string, which: string, reported: readonly string[]): string {
  let schema = '';
  transaction(database, () => {
    const known = listSchemas(database);
    schema = wireNamed(which, [...known.map((each) => each.schema), ...reported]);
    if (known.some((each) => each.schema === schema && each.retired !== undefined))
      throw new RangeError(`expected a schema that is not retired yet, got ${schema}`);
    database
      .prepare('INSERT INTO schema (schema, retired) VALUES (?, ?) ON CONFLICT DO UPDATE SET retired = excluded.retired')
      .run(schema, dayNumber(Date.now()));
    logAction(database, who, `retired ${schema}`, schema.split('/')[0]);
    appendSchemas(database, []);
  });
  return schema;
}
