/**
 * Access control of readers. A reader is known by an access token (`Authorization: Bearer`), by the session that signing in with a
 * token began, or by a header that a trusted proxy sets. Nothing is readable without one, except in a collector that is open.
 */

import type { Request, RequestHandler, Response } from 'express';
import type { Reader } from '../../api/openapi/access.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import type { Administration } from '../../storage/admin/administration.ts';
import { includesRole, type Role } from '../../storage/admin/credentials.ts';
import { checkHost } from './routing.ts';
import type { FailedSignIns, Sessions } from './sessions.ts';

/** Settings of access. */
export interface AccessOptions {
  /**
   * The proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are believed, as in Express's `trust proxy`: the number of proxies in front,
   * or their addresses and ranges (`10.0.0.0/8`, `loopback`). Default: none.
   */
  readonly trustProxy?: number | readonly string[];
  /** The header in which a trusted proxy names the user. Needs `trustProxy` with addresses. */
  readonly authHeader?: string;
  /** Role of users whom the proxy names and who have no role of their own. Default: viewer. */
  readonly authRole?: Role | 'none';
  /** Names under which readers reach this collector, besides addresses and loopback names. */
  readonly allowHosts?: readonly string[];
  /** The sites that may show `/embed/` in a frame, as in CSP's `frame-ancestors`: `https://blog.example`, or `*`. Default: this host alone. */
  readonly frameAncestors?: readonly string[];
}

/** The cookie of a session. Over https it has the prefix with which browsers refuse it from anywhere but this host. */
export const cookieName = ({ secure }: Request): string => (secure ? '__Host-murmuration' : 'murmuration');

/** The value of the session's cookie. Other cookies are not taken apart: a header has room for 16,000 of them. */
export const sessionOf = (request: Request): string | undefined =>
  new RegExp(`(?:^|;) *${cookieName(request)}=([^;\\s]*)`).exec(request.headers.cookie ?? '')?.[1];

/** Refuses with 401, and says which way in there is. */
export function refuseStranger(response: Response, got: string): never {
  response.setHeader('www-authenticate', 'Bearer');
  throw new Refusal(401, 'no-access', 'an access token, as Authorization: Bearer TOKEN or by signing in', got);
}

const EVERYBODY: Reader = { who: 'anybody', role: 'admin', apps: [], by: 'open' };

/** Parts of access control. */
export interface AccessParts extends AccessOptions {
  readonly isOpen: boolean;
  readonly admin: Administration;
  readonly sessions: Sessions;
  readonly failed: FailedSignIns;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The user whom a trusted proxy names. @throws {Refusal} 403 when the user has no role */
function proxyUser(request: Request, { admin, authHeader, authRole = 'viewer' }: AccessParts): Reader | undefined {
  if (authHeader === undefined) return undefined;
  const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  // Of two headers, one came from outside, and nobody knows which.
  const { [authHeader.toLowerCase()]: [user, ...others] = [] } = request.headersDistinct;
  if (user === undefined || user === '' || others.length > 0 || !isTrusted(request.socket.remoteAddress ?? '', 0)) return undefined;
  const { role, apps } = admin.roleOf(user) ?? { role: authRole, apps: [] };
  if (role === 'none') throw new Refusal(403, 'forbidden', 'a user with a role, as murmuration roles set gives it', user.slice(0, 80));
  return { who: user, role, apps, by: 'proxy' };
}

/** The reader that a request comes from. @throws {Refusal} 401 when it is nobody's, 429 for one of too many wrong tokens */
function identify(request: Request, response: Response, parts: AccessParts): Reader {
  const { isOpen, admin, sessions, failed, now } = parts;
  if (isOpen) return EVERYBODY;
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    const token = failed.attempt(request, response, now(), () => (secret === undefined ? undefined : admin.token(secret)));
    if (token === undefined) return refuseStranger(response, 'another');
    return { who: token.name, role: token.role, apps: token.apps, by: 'token' };
  }
  const user = proxyUser(request, parts);
  if (user !== undefined) return user;
  const id = sessionOf(request);
  const name = id === undefined ? undefined : sessions.tokenOf(id, now());
  const token = name === undefined ? undefined : admin.tokenNamed(name);
  if (token === undefined) return refuseStranger(response, id === undefined ? 'none' : 'a session that has ended');
  return { who: token.name, role: token.role, apps: token.apps, by: 'session' };
}

/** Lets only readers pass, and marks their answers as not to be stored by anyone. */
export function requireReader(parts: AccessParts): RequestHandler {
  return (request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    response.locals['reader'] = identify(request, response, parts);
    next();
  };
}

/** The reader of a request that passed `requireReader`. */
export const readerOf = ({ locals }: Response): Reader => locals['reader'] as Reader;

/** The Host check, for routes that programs read under any name: a page that was rebound has no token to send. Comes after `requireReader`. */
export function checkHostOfPages(allowed: readonly string[] = []): RequestHandler {
  const check = checkHost(allowed);
  return (request, response, next) => (readerOf(response).by === 'token' ? next() : check(request, response, next));
}

/** Lets only readers of a role pass. Comes after `requireReader`. */
export function requireRole(wanted: Role): RequestHandler {
  return (_request, response, next) => {
    const { role, who } = readerOf(response);
    if (!includesRole(role, wanted)) throw new Refusal(403, 'forbidden', `a token of the role ${wanted}`, `${who}, ${role}`);
    next();
  };
}

/** True if a reader may read an app's data. */
export const maySee = ({ apps }: Reader, app: string): boolean => apps.length === 0 || apps.includes(app);

/** Published schemas that the reader of a request may see: the same catalog for readers of the same apps. */
export function visibleCatalog(catalog: () => Catalog): (response: Response) => Catalog {
  const known = new WeakMap<Catalog, Map<string, Catalog>>();
  return (response) => {
    const whole = catalog();
    const reader = readerOf(response);
    if (reader.apps.length === 0) return whole;
    const parts = known.get(whole) ?? new Map<string, Catalog>();
    known.set(whole, parts);
    const key = reader.apps.join();
    const part = parts.get(key) ?? {
      schemas: new Map([...whole.schemas].filter(([, { app }]) => maySee(reader, app))),
      metrics: whole.metrics.filter(({ app }) => maySee(reader, app)),
    };
    parts.set(key, part);
    return part;
  };
}
