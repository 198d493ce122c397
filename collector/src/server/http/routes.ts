/** All routes of a collector: reports, the probes and numbers, and what readers are served. Any of them may be left out. */

import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { Refusal } from '../../base/refusal.ts';
import { refusalOf, refuseRead } from '../../ingest/refuse.ts';
import type { Health } from '../health/health.ts';
import { HEALTH_ROUTES } from '../health/health.ts';
import { type AccessParts, checkHostOfPages, requireReader, requireRole } from './access.ts';

/** What the routes lead to. */
export interface RouteParts {
  readonly takeReports: RequestHandler;
  /** What readers are served. */
  readonly reads: Router;
  readonly access: AccessParts;
  readonly health: Pick<Health, 'countReads' | 'router'>;
  readonly log: Logger;
}

const absent: RequestHandler = ({ method, baseUrl, path }) => {
  throw new Refusal(404, 'not-found', 'a route of the collector', `${method} ${(baseUrl + path).slice(0, 80)}`);
};

/** Answers the errors of reads. */
const answerErrors =
  (log: Logger): ErrorRequestHandler =>
  (error: unknown, _request, response, next) => {
    const refusal = refusalOf(error);
    if (refusal.status === 500) log.error({ err: error }, 'a request failed');
    if (response.headersSent) return next(error);
    response.locals['refusal'] = refusal;
    refuseRead(response, refusal);
  };

/**
 * Adds the routes to an app or a router.
 *
 * @param takes whether reports are taken
 * @param answers whether readers are served
 */
export function addRoutes<Target extends IRouter>(target: Target, parts: RouteParts, takes: boolean, answers: boolean): Target {
  const { takeReports, reads, access, health, log } = parts;
  const protect = helmet({ strictTransportSecurity: false, contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  const closed = HEALTH_ROUTES.filter((each) => !each.isOpen).map(({ path }) => path);
  if (takes) target.post('/v1/reports', takeReports);
  target.use(health.countReads, protect);
  target.use(closed, answers ? requireReader(access) : absent, requireRole('viewer'), checkHostOfPages(access.allowHosts));
  target.use(health.router);
  if (answers) target.use(reads);
  target.use(absent);
  target.use(answerErrors(log));
  return target;
}

/** An app with the routes. They are added to it directly, because a router within an app costs a tenth of the speed of ingest. */
export function createApp(parts: RouteParts, takes: boolean, answers: boolean): Express {
  const { trustProxy } = parts.access;
  const made = express().disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  return addRoutes(trustProxy === undefined ? made : made.set('trust proxy', trustProxy), parts, takes, answers);
}
