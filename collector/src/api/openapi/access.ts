/** The routes of sessions, and those of reviewers and admins: their forms, and their OpenAPI description. */

import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { type Credential, ROLES, type Role } from '../../storage/admin/credentials.ts';
import type { Action } from '../../storage/admin/database.ts';
import { exactly } from '../forms/answer-parts.ts';
import { exactParameters, type Parameters, whole } from '../forms/parameters.ts';
import { delayed, json, refused, responsesOf, TOO_MANY } from './responses.ts';

// The parameters and answers of the routes of sessions, reviewers and admins, as zod schemas.

/** Body of a sign-in. */
export const signInBody: z.ZodType<{ readonly token: string }> = exactly(z.strictObject({ token: z.string() }));

/** Bytes of a sign-in's body. */
export const MOST_SIGN_IN = 1_024;

/** Actions in an answer, at most. */
const MOST = 1_000;

/** The parameters of the log of actions. */
export interface ActionsAsked {
  readonly limit: number;
  readonly before?: number | undefined;
}

export const actionsParameters: Parameters<ActionsAsked> = exactParameters(
  z.strictObject({
    limit: whole(1, MOST, MOST, `The most actions to send, up to ${MOST}.`),
    before: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, { error: 'the number of an action' })
      .transform(Number)
      .optional()
      .meta({ description: 'Only actions before the one with this number.' }),
  }),
);

/** A reader. */
export interface Reader {
  /** The name of the token, or the user whom the proxy names. */
  readonly who: string;
  readonly role: Role;
  /** The apps whose data it may read; empty for all. */
  readonly apps: readonly string[];
  /** How the reader is known. */
  readonly by: 'open' | 'token' | 'session' | 'proxy';
}

/** A key or token as admins see it. */
export interface ShownCredential extends Omit<Credential, 'created' | 'revoked'> {
  readonly created: string | null;
  readonly revoked: string | null;
}

const apps = z.array(z.string()).meta({ description: 'The apps that it is for; empty for all.' });
const day = z.iso.date().nullable();

const reader: z.ZodType<Reader> = exactly(
  z.strictObject({
    who: z.string(),
    role: z.enum(ROLES),
    apps,
    by: z.enum(['open', 'token', 'session', 'proxy']).meta({ description: 'How the reader is known.' }),
  }),
);

const schemas = z.strictObject({
  schemas: z.array(
    z.strictObject({
      schema: z.string().meta({ description: 'As app/version/checksum.' }),
      retired: z.boolean(),
      document: z.looseObject({ format: z.literal(1), app: z.string(), version: z.int().min(1) }),
    }),
  ),
});

const audits = z.strictObject({ audits: z.array(z.looseObject({ schema: z.string(), fingerprint: z.string(), holds: z.boolean() })) });

const action: z.ZodType<Action> = exactly(
  z.strictObject({
    n: z.int().min(1),
    at: z.iso.datetime(),
    who: z.string(),
    what: z.string(),
    app: z.string().nullable(),
  }),
);

const credential: z.ZodType<ShownCredential> = exactly(
  z.strictObject({
    name: z.string(),
    role: z.enum([...ROLES, 'writer']),
    apps,
    perMinute: z.int().min(1).exactOptional(),
    key: z.string().exactOptional().meta({ description: 'A write key, which is public.' }),
    created: day,
    revoked: day,
  }),
);

/** The answers by route. */
export const accessAnswers: { readonly [route in 'reader' | 'schemas' | 'audits' | 'actions' | 'keys']: z.ZodType } = {
  reader,
  schemas,
  audits,
  actions: z.strictObject({ actions: z.array(action) }),
  keys: z.strictObject({ keys: z.array(credential) }),
};

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
