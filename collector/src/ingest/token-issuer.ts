/**
 * @module Issues tokens for reports through a relay, in the app's own server: one for each account, metric and slot. It never sees for which
 * report (POPRF of RFC 9497), so it can't tell whose a report is.
 */

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ACCEPTED_DAYS, type Cadence, dayNumber, dayText, type SchemaDocument, slotDays, slotName } from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { Refusal } from '../base/refusal.ts';
import { migrate, type Step, TIMEOUT } from '../storage/files/database.ts';
import { makeFolder, makePrivate, sync } from '../storage/files/durable.ts';
import { refusalOf, refuseRead } from './refuse.ts';
import { tokenPair } from './tokens.ts';

/** Options of `tokenIssuer`. */
export interface TokenIssuerOptions {
  /** The secret that `murmuration relay tokens FILE APP --secret` prints. */
  readonly secret: string;
  /** The schemas of the app whose versions are in use. */
  readonly schemas: readonly SchemaDocument[];
  /** The folder of its file, `tokens.sqlite`. */
  readonly data: string;
  /**
   * The name of a request's account, after all checks of the app; undefined for none. An account must cost something, and has one name for
   * ever. What this throws goes to the app's own handler of errors.
   */
  readonly accountOf: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** An issuer. */
export interface TokenIssuer {
  /** `app.post('/tokens', issuer.handler)`. */
  readonly handler: RequestHandler;
  readonly close: () => void;
}

const STEPS: readonly Step[] = [
  (database) => {
    database.exec(
      'CREATE TABLE issued (slot BLOB PRIMARY KEY, blinded BLOB NOT NULL, answer TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID',
    );
    database.exec('CREATE INDEX issued_until ON issued (until)');
  },
];

/** Days for which a row stays after the last on which its report is taken, so that a clock that was ahead once opens no slot again. */
const SPARE = 60;

/** The most bytes of a request, which has some 150. */
const MOST_BYTES = 4_096;

const form = z.strictObject({
  metric: z.string(),
  every: z.enum(['day', 'week', 'month', 'year', 'once']),
  slot: z.int(),
  blinded: z.string().max(43),
});

/** Checks that a slot is one whose reports may be under way, and returns the last day on which a collector takes them. @throws {Refusal} */
function lastDayOf(schemas: readonly SchemaDocument[], metric: string, every: Cadence, slot: number, today: number): number {
  const isAsked = schemas.some(({ metrics }) => Object.hasOwn(metrics, metric) && metrics[metric]?.every === every);
  if (!isAsked)
    throw new Refusal(400, 'unknown-metric', 'a metric of the schemas, and how often it is asked', `${metric}, ${every}`.slice(0, 80));
  const [first, last] = slotDays(every, slot);
  const [from, to] = [today - ACCEPTED_DAYS.before, today + ACCEPTED_DAYS.after];
  if (last < from || first > to) throw new Refusal(400, 'bad-slot', `a slot with a day from ${dayText(from)} to ${dayText(to)}`, `${slot}`);
  return last + ACCEPTED_DAYS.before;
}

function openDatabase(folder: string): DatabaseSync {
  makeFolder(folder);
  const file = join(folder, 'tokens.sqlite');
  makePrivate(file); // SQLite gives its other files the permissions of this one
  sync(folder);
  const database = new DatabaseSync(file, { timeout: TIMEOUT });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    migrate(database, file, STEPS);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens an issuer. An account gets one token for a metric and a slot: the same blinded element again gets the same answer, and another is
 * refused. A row holds a keyed hash of account and slot, the element and the answer. It is deleted 60 days after the last on which a
 * collector takes a report of the slot.
 *
 * @throws {RangeError} when the schemas are of more than one app, or the secret is none
 * @example
 * const issuer = tokenIssuer({ secret, schemas: [schema.document], data: './tokens', accountOf: (request) => request.session.user });
 * app.post('/tokens', issuer.handler);
 */
export function tokenIssuer({ secret, schemas, data, accountOf, now = Date.now }: TokenIssuerOptions): TokenIssuer {
  const [app, ...others] = [...new Set(schemas.map((schema) => schema.app))];
  if (app === undefined || others.length > 0) throw new RangeError(`schemas: expected those of one app, got those of ${others.length + 1}`);
  if (Buffer.from(secret, 'base64url').length !== 32)
    throw new RangeError('secret: expected what murmuration relay tokens --secret prints');
  const { secretKey } = tokenPair(secret);
  const nameKey = createHmac('sha256', secretKey).update('accounts').digest();
  const database = openDatabase(data);
  const add = database.prepare('INSERT INTO issued (slot, blinded, answer, until) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const find = database.prepare('SELECT blinded, answer FROM issued WHERE slot = ?');
  const expire = database.prepare('DELETE FROM issued WHERE until < ?');
  let expired = 0;

  const issue = async (request: Request): Promise<string> => {
    // Only a page of the app can send JSON with its cookies. Others could use up the slots of whoever visits them.
    if (!request.is('application/json'))
      throw new Refusal(415, 'bad-type', 'application/json', `${request.headers['content-type']}`.slice(0, 80));
    const account: unknown = await accountOf(request);
    // Strangers would share one account. The text of an object may change from request to request, and each text would get a token.
    if (account === undefined || account === null || account === '')
      throw new Refusal(401, 'no-account', 'a request of an account', 'another');
    if (typeof account !== 'string') throw new TypeError(`accountOf: expected the name of an account as a text, got ${typeof account}`);
    const { data: asked, error } = form.safeParse(request.body);
    if (asked === undefined)
      throw new Refusal(400, 'bad-request', '{ metric, every, slot, blinded }', `${error.issues[0]?.message}`.slice(0, 80));
    const { metric, every, slot } = asked;
    const blinded = Buffer.from(asked.blinded, 'base64url');
    const today = dayNumber(now());
    if (expired !== today) {
      expire.run(today - SPARE);
      expired = today;
    }
    const until = lastDayOf(schemas, metric, every, slot, today);
    const name = slotName(app, metric, every, slot);
    const row = createHmac('sha256', nameKey)
      .update(JSON.stringify([name, account]))
      .digest();
    if (!find.get(row)) add.run(row, blinded, evaluate(secretKey, name, blinded), until); // another process may be faster
    const issued = find.get(row) as { readonly blinded: Uint8Array; readonly answer: string };
    if (!blinded.equals(issued.blinded))
      throw new Refusal(409, 'spent', 'an account without a token for this metric and slot', 'one that has another');
    return issued.answer;
  };

  const parse = express.json({ limit: MOST_BYTES });
  const handler: RequestHandler = (request, response, next) => {
    const refuse = (error: unknown = new Error('accountOf: expected a name or an error, got neither')): void => {
      const reason = refusalOf(error);
      if (reason.status < 500) refuseRead(response, reason);
      else next(error); // the app knows where its failures are logged
    };
    parse(request, response, (error?: unknown) => {
      if (error !== undefined) return refuse(error);
      issue(request).then((answer) => response.set('cache-control', 'no-store').type('json').send(answer), refuse);
    });
  };
  return { handler, close: () => database.close() };
}

/** The answer to a blinded element: its evaluation and the proof, as JSON. @throws {Refusal} when it is none */
function evaluate(secretKey: Uint8Array, name: string, blinded: Uint8Array): string {
  try {
    const { evaluated, proof } = ristretto255_oprf.poprf(Buffer.from(name)).blindEvaluate(secretKey, blinded);
    return JSON.stringify({ evaluated: Buffer.from(evaluated).toString('base64url'), proof: Buffer.from(proof).toString('base64url') });
  } catch {
    throw new Refusal(400, 'bad-request', 'blinded: an element of ristretto255', 'another');
  }
}
