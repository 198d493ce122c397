/** `/v1/session`: signs in with a token, says who is signed in, and signs out. The token itself is not kept in the browser. */

import express, { type RequestHandler, type Router } from 'express';
import { MOST_SIGN_IN, signInBody } from '../../api/openapi/access-answers.ts';
import { Refusal } from '../../base/refusal.ts';
import { type AccessParts, cookieName, readerOf, refuseStranger, sessionOf } from './access.ts';
import { exactRouter } from './exact-router.ts';
import { LONGEST } from './sessions.ts';

/**
 * Signing in and out. The body must be JSON and the cookie is `SameSite=Strict`, so another site's page can do neither in a visitor's name.
 */
export function sessionRouter({ admin, sessions, failed, now }: AccessParts, isReader: RequestHandler): Router {
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
    .post('/v1/session', express.json({ limit: MOST_SIGN_IN }), signIn)
    .delete('/v1/session', signOut)
    .get('/v1/session', isReader, show);
}
