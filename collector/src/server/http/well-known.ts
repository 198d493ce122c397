/**
 * `GET /.well-known/murmuration.json`: what the collector asks and what that gives away, for anybody. It has what devices are told and what
 * follows from it. Of what they have sent it has one bit a day for a schema with `together`.
 */

import { dayNumber, dayText, type SchemaDocument } from '@murmuration/shared';
import type { RequestHandler, Router } from 'express';
import type { Crowds } from '../../answers/crowds.ts';
import { type PublicApps, type PublicSchema, WELL_KNOWN } from '../../api/openapi/well-known.ts';
import type { Audits } from '../../planning/audit/audit-thread.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { compareSchemas } from '../../schemas/compare.ts';
import { verifierText } from '../../schemas/log/note.ts';
import { LOG } from '../../schemas/log/read.ts';
import type { PublishedSchema } from '../../storage/admin/published.ts';
import type { SchemaLog } from '../../storage/admin/schema-log.ts';
import { appOf } from '../../storage/quota.ts';
import { exactRouter } from './routing.ts';
import { type Coded, codedText, sendToAnybody } from './send.ts';

/** Seconds for which the answer may be kept by whoever has it. */
const MAX_AGE = 3_600;

/** Options of the route. */
export interface WellKnownParts {
  readonly catalogOf: () => Catalog;
  /** The schemas that were published or retired by command. */
  readonly listed: () => readonly PublishedSchema[];
  readonly log: () => SchemaLog | undefined;
  readonly audited: Audits;
  readonly crowds: Crowds;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const versionOf = (schema: string): number => Number(schema.split('/')[1]);

/** The days on which a schema was published and retired by command, as far as it was. */
const daysOf = ({ published, retired }: Partial<PublishedSchema>): Pick<PublicSchema, 'published' | 'retired'> => ({
  ...(published !== undefined && { published: dayText(published) }),
  ...(retired !== undefined && { retired: dayText(retired) }),
});

/** The changes by a schema, in words, beside the version of its app before it. */
function changesOf(document: SchemaDocument, { schemas }: Catalog): readonly string[] | undefined {
  const before = [...schemas.values()]
    .filter(({ app, version }) => app === document.app && version < document.version)
    .sort((a, b) => b.version - a.version)[0];
  return before && compareSchemas(before, document).map(({ what }) => what);
}

/** A schema with what its audit says of it. */
async function publicSchema(
  schema: string,
  catalog: Catalog,
  listed: Partial<PublishedSchema>,
  { audited, crowds }: Pick<WellKnownParts, 'audited' | 'crowds'>,
): Promise<PublicSchema> {
  const { fingerprint, metrics, month, year, life, statement } = await audited(schema, catalog);
  const report = Object.fromEntries(metrics.map(({ metric, epsilon }) => [metric, epsilon.report]));
  const document = catalog.schemas.get(schema) as SchemaDocument;
  const changes = changesOf(document, catalog);
  const reached = await crowds(document);
  return {
    schema,
    inForce: listed.retired === undefined,
    ...daysOf(listed),
    fingerprint,
    epsilon: { report, month, year, life },
    ...(reached !== undefined && { reached }),
    statement,
    ...(changes && { changes }),
    document,
  };
}

/** The parts of the answer. */
interface Shown {
  readonly catalog: Catalog;
  readonly listed: readonly PublishedSchema[];
  readonly log: SchemaLog | undefined;
  /** Crowds are looked at once a day. */
  readonly day: number;
}

async function publicApps({ catalog, listed, log }: Shown, parts: WellKnownParts): Promise<PublicApps> {
  const { schemas } = catalog;
  const known = new Map(listed.map((each) => [each.schema, each]));
  const all = await Promise.all([
    ...[...schemas.keys()].map((schema) => publicSchema(schema, catalog, known.get(schema) ?? {}, parts)),
    ...listed.flatMap((each): readonly PublicSchema[] =>
      schemas.has(each.schema) || each.retired === undefined ? [] : [{ schema: each.schema, inForce: false, ...daysOf(each) }],
    ),
  ]);
  all.sort((a, b) => versionOf(b.schema) - versionOf(a.schema));
  const apps = [...new Set(all.map(({ schema }) => appOf(schema)))].sort();
  return {
    format: 1,
    ...(log && { log: { path: LOG, key: verifierText(log.key) } }),
    apps: apps.map((app) => ({ app, schemas: all.filter(({ schema }) => appOf(schema) === app) })),
  };
}

/** An answer, and what it was made of. */
interface Made {
  readonly of: Shown;
  readonly body: Promise<Coded>;
}

/** The route, which needs no token, and the function that makes its answer. */
export interface WellKnown {
  readonly router: Router;
  readonly make: () => Promise<Coded>;
}

/** Creates the route. Its answer is made once a day for the same schemas. */
export function createWellKnown(parts: WellKnownParts): WellKnown {
  let made: Made | undefined;
  const make = (): Promise<Coded> => {
    const now = { catalog: parts.catalogOf(), listed: parts.listed(), log: parts.log(), day: dayNumber(parts.now()) };
    if (made === undefined || (['catalog', 'listed', 'log', 'day'] as const).some((part) => made?.of[part] !== now[part])) {
      const body = publicApps(now, parts).then((apps) => codedText(JSON.stringify(apps)));
      body.catch(() => {
        made = undefined;
      });
      made = { of: now, body };
    }
    return made.body;
  };
  const show: RequestHandler = async (_request, response) => {
    sendToAnybody(response, await make(), MAX_AGE);
  };
  return { router: exactRouter().get(WELL_KNOWN, show), make };
}
