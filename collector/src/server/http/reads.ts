/** What readers are served: the API, the sign-in and the dashboard, each for those who may see it. Routes that are added here are closed. */

import { fileURLToPath } from 'node:url';
import express, { type Router } from 'express';
import type { Catalog } from '../../schemas/catalog.ts';
import { type AccessParts, requireReader, requireRole } from './access.ts';
import { exactRouter } from './exact-router.ts';
import { checkHost } from './hosts.ts';
import { reviewRouter } from './review.ts';
import { sessionRouter } from './session-routes.ts';

const dashboard = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url));

/**
 * @param catalogOf returns the schemas as they are now
 * @param metrics the routes of metrics and estimates
 * @param releases the routes of releases, which are all that analysts may use
 */
export function readsRouter(parts: AccessParts, catalogOf: () => Catalog, metrics: Router, releases: Router): Router {
  const { admin, allowHosts = [] } = parts;
  const isReader = requireReader(parts);
  return exactRouter()
    .use(checkHost(allowHosts), sessionRouter(parts, isReader))
    .use('/v1', isReader)
    .use(releases)
    .use('/v1/metrics', requireRole('viewer'))
    .use(metrics, reviewRouter(catalogOf, admin), express.static(dashboard));
}
