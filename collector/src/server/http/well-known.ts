/**
 * `GET /.well-known/murmuration.json`: what the collector asks and what that gives away, for anybody. It has what devices are told and what
 * follows from it, and nothing that they have sent.
 */

import type { SchemaDocument } from '@murmuration/shared';
import type { RequestHandler, Router } from 'express';
import { type PublicApps, type PublicSchema, WELL_KNOWN } from '../../api/openapi/well-known.ts';
import type { Audits } from '../../planning/audit/audit-thread.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { appOf } from '../../storage/quota.ts';
import { exactRouter } from './routing.ts';
import { sendToAnybody } from './send.ts';

/** Seconds for which the answer may be kept by whoever has it. */
const MAX_AGE = 3_600;

/** Options of the route. */
export interface WellKnownParts {
  readonly catalogOf: () => Catalog;
  /** Wire names of the schemas that were retired. */
  readonly retired: () => ReadonlySet<string>;
  readonly audited: Audits;
}

const versionOf = (schema: string): number => Number(schema.split('/')[1]);

/** A schema with what its audit says of it. */
async function publicSchema(schema: string, catalog: Catalog, inForce: boolean, audited: Audits): Promise<PublicSchema> {
  const { fingerprint, metrics, month, year, life, statement } = await audited(schema, catalog);
  const report = Object.fromEntries(metrics.map(({ metric, epsilon }) => [metric, epsilon.report]));
  const document = catalog.schemas.get(schema) as SchemaDocument;
  return { schema, inForce, fingerprint, epsilon: { report, month, year, life }, statement, document };
}

async function publicApps(catalog: Catalog, retired: ReadonlySet<string>, audited: Audits): Promise<PublicApps> {
  const { schemas } = catalog;
  const all = await Promise.all([
    ...[...schemas.keys()].map((schema) => publicSchema(schema, catalog, !retired.has(schema), audited)),
    ...[...retired].flatMap((schema): readonly PublicSchema[] => (schemas.has(schema) ? [] : [{ schema, inForce: false }])),
  ]);
  all.sort((a, b) => versionOf(b.schema) - versionOf(a.schema));
  const apps = [...new Set(all.map(({ schema }) => appOf(schema)))].sort();
  return { format: 1, apps: apps.map((app) => ({ app, schemas: all.filter(({ schema }) => appOf(schema) === app) })) };
}

/** An answer, and what it was made of. */
interface Made {
  readonly catalog: Catalog;
  readonly retired: ReadonlySet<string>;
  readonly body: Promise<string>;
}

/** The route, which needs no token, and the function that makes its answer. */
export interface WellKnown {
  readonly router: Router;
  readonly make: () => Promise<string>;
}

/** Creates the route. Its answer is made once for the same schemas. */
export function createWellKnown({ catalogOf, retired, audited }: WellKnownParts): WellKnown {
  let made: Made | undefined;
  const make = (): Promise<string> => {
    const [catalog, past] = [catalogOf(), retired()];
    if (made?.catalog !== catalog || made.retired !== past) {
      const body = publicApps(catalog, past, audited).then((apps) => JSON.stringify(apps));
      body.catch(() => {
        made = undefined;
      });
      made = { catalog, retired: past, body };
    }
    return made.body;
  };
  const show: RequestHandler = async (_request, response) => {
    sendToAnybody(response, await make(), MAX_AGE);
  };
  return { router: exactRouter().get(WELL_KNOWN, show), make };
}
