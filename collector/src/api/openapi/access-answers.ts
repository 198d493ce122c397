/** The parameters and answers of the routes of sessions, reviewers and admins, as zod schemas. */

import { z } from 'zod';
import type { Action } from '../../storage/admin/actions.ts';
import { type Credential, ROLES, type Role } from '../../storage/admin/credentials.ts';
import { type Parameters, whole } from '../forms/parameters.ts';

/** What a sign-in sends. */
export const signInBody: z.ZodType<{ readonly token: string }> = z.strictObject({ token: z.string() });

/** Bytes of a sign-in's body. */
export const MOST_SIGN_IN = 1_024;

/** Actions in an answer, at most. */
const MOST = 1_000;

/** The parameters of the log of actions. */
export interface ActionsAsked {
  readonly limit: number;
  readonly before?: number | undefined;
}

export const actionsParameters: Parameters<ActionsAsked> = z.strictObject({
  limit: whole(1, MOST, MOST, `The most actions to send, up to ${MOST}.`),
  before: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, { error: 'the number of an action' })
    .transform(Number)
    .optional()
    .meta({ description: 'Only actions before the one with this number.' }),
});

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

const reader: z.ZodType<Reader> = z.strictObject({
  who: z.string(),
  role: z.enum(ROLES),
  apps,
  by: z.enum(['open', 'token', 'session', 'proxy']).meta({ description: 'How the reader is known.' }),
});

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

const action: z.ZodType<Action> = z.strictObject({
  n: z.int().min(1),
  at: z.iso.datetime(),
  who: z.string(),
  what: z.string(),
  app: z.string().nullable(),
});

const credential: z.ZodType<ShownCredential> = z.strictObject({
  name: z.string(),
  role: z.enum([...ROLES, 'writer']),
  apps,
  perMinute: z.int().min(1).exactOptional(),
  key: z.string().exactOptional().meta({ description: 'A write key, which is public.' }),
  created: day,
  revoked: day,
});

/** The answers by route. */
export const accessAnswers: { readonly [route in 'reader' | 'schemas' | 'audits' | 'actions' | 'keys']: z.ZodType } = {
  reader,
  schemas,
  audits,
  actions: z.strictObject({ actions: z.array(action) }),
  keys: z.strictObject({ keys: z.array(credential) }),
};
