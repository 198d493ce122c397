/** What reviewers and admins read: the schemas, their audit, the log of actions, and the keys and tokens without their secrets. */

import { dayText } from '@murmuration/shared';
import type { RequestHandler, Router } from 'express';
import { parseQuery } from '../../api/forms/parameters.ts';
import { actionsParameters, type ShownCredential } from '../../api/openapi/access-answers.ts';
import { createAudits } from '../../planning/audit/audit-thread.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { Administration } from '../../storage/admin/administration.ts';
import { maySee, readerOf, requireRole } from './access.ts';
import { exactRouter } from './exact-router.ts';

/** The routes of reviewers and admins. They come after `requireReader`. */
export function reviewRouter(catalogOf: () => Catalog, admin: Administration): Router {
  const audited = createAudits();
  const documents = (response: Parameters<RequestHandler>[1]) =>
    [...catalogOf().schemas].filter(([, { app }]) => maySee(readerOf(response), app));
  const schemas: RequestHandler = (_request, response) =>
    void response.json({
      schemas: documents(response).map(([schema, document]) => ({ schema, retired: admin.retired.has(schema), document })),
    });
  const audit: RequestHandler = async (_request, response) =>
    void response.json({ audits: await Promise.all(documents(response).map(([wire, document]) => audited(wire, document))) });
  const actions: RequestHandler = (request, response) => {
    const { rest } = parseQuery(actionsParameters, request.query, []);
    response.json({ actions: admin.actions(rest.limit, rest.before, readerOf(response).apps) });
  };
  const keys: RequestHandler = (_request, response) => {
    const day = (number: number | undefined): string | null => (number === undefined ? null : dayText(number));
    const reader = readerOf(response);
    const seen = admin
      .credentials()
      .filter(({ apps }) => reader.apps.length === 0 || (apps.length > 0 && apps.every((app) => maySee(reader, app))));
    const keys = seen.map((each): ShownCredential => ({ ...each, created: day(each.created), revoked: day(each.revoked) }));
    response.json({ keys });
  };
  return exactRouter()
    .get('/v1/schemas', requireRole('reviewer'), schemas)
    .get('/v1/audit', requireRole('reviewer'), audit)
    .get('/v1/actions', requireRole('reviewer'), actions)
    .get('/v1/keys', requireRole('admin'), keys);
}
