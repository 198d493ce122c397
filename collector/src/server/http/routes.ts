/** All routes of a collector: reports, the probes and numbers, and what readers are served. Any of them may be left out. */

import type { RequestListener } from 'node:http';
import { dayText } from '@murmuration/shared';
import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import { parseQuery } from '../../api/forms/parameters.ts';
import { actionsParameters, MOST_SIGN_IN, type ShownCredential, signInBody } from '../../api/openapi/access.ts';
import { Refusal } from '../../base/refusal.ts';
import { type Gateway, RELAY } from '../../ingest/gateway.ts';
import { refusalOf, refuseRead } from '../../ingest/refuse.ts';
import { isReport, REPORTS, type TakeReports } from '../../ingest/route.ts';
import type { Audits } from '../../planning/audit/audit-thread.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { Administration } from '../../storage/admin/administration.ts';
import { HEALTH_ROUTES, type Health } from '../health/health.ts';
import {
  type AccessParts,
  checkHostOfPages,
  cookieName,
  maySee,
  readerOf,
  refuseStranger,
  requireReader,
  requireRole,
  sessionOf,
} from './access.ts';
import { servePage } from './page.ts';
import { checkHost, exactRouter, jsonBody } from './routing.ts';
import { LONGEST } from './sessions.ts';

// `/v1/session`: signs in with a token, says who is signed in, and signs out. The token itself is not kept in the browser.

/**
 * Signing in and out. The body must be JSON and the cookie is `SameSite=Strict`, so another site's page can do neither in a visitor's name.
 */
function sessionRouter({ admin, sessions, failed, now }: AccessParts, isReader: RequestHandler): Router {
  const signIn: RequestHandler = (request, response) => {
    if (!request.is('application/json')) throw new Refusal(415, 'bad-type', 'application/json', request.get('content-type') ?? 'none');
    const { success, data } = signInBody.safeParse(request.body);
    if (!success) throw new Refusal(400, 'malformed', '{ "token": "at_..." }', 'another');
    const token = failed.attempt(request, response, now(), () => admin.token(data.token));
    if (token === undefined) return refuseStranger(response, 'another');
    const options = { httpOnly: true, sameSite: 'strict', secure: request.secure, path: '/' } as const;
    response.cookie(cookieName(request), sessions.begin(token.name, now()), { ...options, maxAge: LONGEST }).sendStatus(204);
  };
  const signOut: RequestHandler = (request, response) => {
    const id = sessionOf(request);
    if (id !== undefined) sessions.end(id);
    response.clearCookie(cookieName(request), { httpOnly: true, sameSite: 'strict', secure: request.secure, path: '/' }).sendStatus(204);
  };
  const show: RequestHandler = (_request, response) => void response.json(readerOf(response));
  return exactRouter()
    .post('/v1/session', jsonBody(MOST_SIGN_IN), signIn)
    .delete('/v1/session', signOut)
    .get('/v1/session', isReader, show);
}

// What reviewers and admins read: the schemas, their audit, the log of actions, and the keys and tokens without their secrets.

/** The routes of reviewers and admins. They come after `requireReader`. */
function reviewRouter(catalogOf: () => Catalog, admin: Administration, audited: Audits): Router {
  const documents = (response: Parameters<RequestHandler>[1]) =>
    [...catalogOf().schemas].filter(([, { app }]) => maySee(readerOf(response), app));
  const schemas: RequestHandler = (_request, response) =>
    void response.json({
      schemas: documents(response).map(([schema, document]) => ({ schema, retired: admin.retired.has(schema), document })),
    });
  const audit: RequestHandler = async (_request, response) =>
    void response.json({ audits: await Promise.all(documents(response).map(([wire]) => audited(wire, catalogOf()))) });
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

// What readers are served: the API, the sign-in and the dashboard, each for those who may see it. Routes that are added here are closed.

/**
 * @param catalogOf returns the schemas as they are now
 * @param metrics the routes of metrics and estimates
 * @param annotations those of annotations
 * @param releases the routes of releases, which are all that analysts may use
 * @param published the questions that anybody may read
 * @param audited audits a schema
 */
export function readsRouter(
  parts: AccessParts,
  catalogOf: () => Catalog,
  { metrics, annotations, releases, published }: { readonly [routes in 'metrics' | 'annotations' | 'releases' | 'published']: Router },
  audited: Audits,
): Router {
  const { admin, allowHosts = [], frameAncestors = [] } = parts;
  const isReader = requireReader(parts);
  return exactRouter()
    .use(checkHost(allowHosts), sessionRouter(parts, isReader), published)
    .use('/v1', isReader)
    .use(releases)
    .use(['/v1/metrics', '/v1/signs', '/v1/annotations', '/v1/plan'], requireRole('viewer'))
    .use(metrics, annotations, reviewRouter(catalogOf, admin, audited), servePage(frameAncestors));
}

/** Parts behind the routes. */
export interface RouteParts {
  readonly takeReports: TakeReports;
  readonly gateway: Gateway;
  /** Routes for readers. */
  readonly reads: Router;
  /** Routes for everybody. */
  readonly wellKnown: Router;
  readonly access: AccessParts;
  readonly health: Pick<Health, 'countReads' | 'router'>;
  /** Logs an error of a request. */
  readonly onFailure: (error: unknown) => void;
}

const absent: RequestHandler = ({ method, baseUrl, path }) => {
  throw new Refusal(404, 'not-found', 'a route of the collector', `${method} ${(baseUrl + path).slice(0, 80)}`);
};

/** Answers the errors of reads. */
const answerErrors =
  (onFailure: RouteParts['onFailure']): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    // Routers go on in a later phase of the event loop. Meanwhile the server may have refused the request, because the rest of it never came.
    if (response.writableEnded && !request.complete) return;
    const refusal = refusalOf(error);
    if (refusal.status === 500) onFailure(error);
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
  const { takeReports, gateway, reads, wellKnown, access, health, onFailure } = parts;
  const protect = helmet({ strictTransportSecurity: false, contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  const closed = HEALTH_ROUTES.filter((each) => !each.isOpen).map(({ path }) => path);
  if (takes) target.post(REPORTS, takeReports).post(RELAY, gateway.takeMessage);
  target.use(health.countReads, protect);
  if (takes) target.get(RELAY, gateway.sendKeys);
  target.use(wellKnown);
  target.use(closed, answers ? requireReader(access) : absent, requireRole('viewer'), checkHostOfPages(access.allowHosts));
  target.use(health.router);
  if (answers) target.use(reads);
  target.use(absent);
  target.use(answerErrors(onFailure));
  return target;
}

/** An app with the routes. They are added to it directly, because a router within an app costs a tenth of the speed of ingest. */
export function createApp(parts: RouteParts, takes: boolean, answers: boolean): Express {
  const { trustProxy } = parts.access;
  const made = express().disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  return addRoutes(trustProxy === undefined ? made : made.set('trust proxy', trustProxy), parts, takes, answers);
}

/**
 * The listener of an app that takes reports. These have no use for what Express prepares for a route, except for the properties of its
 * requests: `ip` depends on the proxies that are trusted.
 */
export function listenerOf(app: Express, takeReports: TakeReports): RequestListener {
  return (request, response) => {
    if (isReport(request)) takeReports(Object.setPrototypeOf(request, app.request), response);
    else app(request, response);
  };
}
