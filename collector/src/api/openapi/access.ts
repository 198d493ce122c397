/** The routes of sessions, and those of reviewers and admins, as their OpenAPI description. */

import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { accessAnswers, actionsParameters, MOST_SIGN_IN, signInBody } from './access-answers.ts';
import { delayed, json, refused, responsesOf, TOO_MANY } from './responses.ts';

export const accessPaths: ZodOpenApiPathsObject = {
  '/v1/session': {
    post: {
      operationId: 'signIn',
      summary: 'Begins a session with an access token, as a cookie that no script can read',
      security: [],
      requestBody: { description: `At most ${MOST_SIGN_IN} bytes.`, required: true, content: json(signInBody) },
      responses: {
        '204': { description: 'Signed in.', headers: { 'Set-Cookie': { description: 'The session.', schema: { type: 'string' } } } },
        '400': refused('The body is no JSON, or not of this form.'),
        '401': refused('The token is not valid.'),
        '413': refused('The body is too large.'),
        '415': refused('The content is not application/json.'),
        '421': refused('The Host is not a name of this collector.'),
        '429': delayed(TOO_MANY),
      },
    },
    delete: {
      operationId: 'signOut',
      summary: 'Ends the session of the cookie, if there is one',
      security: [{ session: [] }, {}],
      responses: { '204': { description: 'Signed out.' }, '421': refused('The Host is not a name of this collector.') },
    },
    get: { operationId: 'reader', summary: 'Who reads, and what they may read', responses: responsesOf(accessAnswers.reader, []) },
  },
  '/v1/schemas': {
    get: {
      operationId: 'schemas',
      summary: 'The published schemas',
      description: 'For reviewers and admins.',
      responses: responsesOf(accessAnswers.schemas, ['403']),
    },
  },
  '/v1/audit': {
    get: {
      operationId: 'audits',
      summary: 'The audit of each published schema: what its integers spend, and the privacy statement',
      description: 'For reviewers and admins.',
      responses: responsesOf(accessAnswers.audits, ['403']),
    },
  },
  '/v1/actions': {
    get: {
      operationId: 'actions',
      summary: 'Who changed what, newest first',
      description: 'For reviewers and admins.',
      requestParams: { query: actionsParameters },
      responses: responsesOf(accessAnswers.actions, ['400', '403', '507']),
    },
  },
  '/v1/keys': {
    get: {
      operationId: 'keys',
      summary: 'Write keys, and access tokens without their secrets',
      description: 'For admins.',
      responses: responsesOf(accessAnswers.keys, ['403', '507']),
    },
  },
};
