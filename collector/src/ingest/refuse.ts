/** Sends refusals as HTTP responses: to devices, and to readers of the estimates. */

import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { type FaultKind, kindOf } from '../base/fault.ts';
import { bodyOf, isTemporary, Refusal, refusal } from '../base/refusal.ts';

/** The least `Retry-After` in seconds, and how many seconds are added at random at most, so that devices do not all retry at once. */
const RETRY_AFTER = 5;
const RETRY_JITTER = 25;

/** Any page may read whether its report was accepted: the response contains nothing about anyone. */
export const HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after', 'cache-control': 'no-store' };

/** The fields of a refusal: its type and, where it is temporary, when to try again. */
export const fieldsOf = ({ status }: Refusal): { readonly [name: string]: string } => ({
  'content-type': 'application/json; charset=utf-8',
  ...(isTemporary(status) && { 'retry-after': `${RETRY_AFTER + Math.floor(Math.random() * RETRY_JITTER)}` }),
});

/** Answers with a refusal. `isLast` ends the connection after it. */
export function refuse(response: ServerResponse, reason: Refusal, isLast: boolean): void {
  const body = bodyOf(reason);
  if (isLast) response.setHeader('connection', 'close');
  response.writeHead(reason.status, { ...HEADERS, ...fieldsOf(reason), 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Answers a request of the read API with a refusal. */
export function refuseRead(response: Response, reason: Refusal): void {
  response.set('cache-control', 'no-store');
  if (reason.status === 503) response.set('retry-after', `${RETRY_AFTER}`);
  response.status(reason.status).type('application/json').send(bodyOf(reason));
}

/** The refusal that answers a fault, by its kind. The other kinds are failures of the collector. */
const ANSWERS: { readonly [K in FaultKind]?: (message: string) => Refusal } = {
  full: () => refusal('disk-full', 'room on the disk', 'none'),
  away: () => refusal('store-away', 'a database that answers', 'none; try again later'),
  'over-budget': (message) => new Refusal(403, 'over-budget', 'a question within the budget', message),
  'in-doubt': (message) => new Refusal(409, 'ledger-in-doubt', 'a ledger that is whole', message),
  over: (message) => new Refusal(409, 'stream-over', 'a stream that still answers', message),
};

/** The refusal that answers an error: the error itself if it is one, that of its kind, and otherwise a generic failure without details. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const answer = ANSWERS[kindOf(error) ?? 'internal'];
  if (answer !== undefined) return answer((error as Error).message.slice(0, 500));
  const { status = 500 } = error as { readonly status?: number };
  if (status >= 400 && status < 500) return new Refusal(status, 'bad-request', 'a well-formed request', 'another');
  return new Refusal(500, 'internal', 'no failure', 'one; the log has it');
}
