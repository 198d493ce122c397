/** Sends refusals as HTTP responses: to devices, and to readers of the estimates. */

import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { bodyOf, isTemporary, Refusal, refusal } from '../base/refusal.ts';
import { StoreAway, StoreFull } from '../storage/store.ts';

/** The least `Retry-After` in seconds, and how many seconds are added at random at most, so that devices do not all retry at once. */
const RETRY_AFTER = 5;
const RETRY_JITTER = 25;

/** Any page may read whether its report was accepted: the response contains nothing about anyone. */
export const HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after', 'cache-control': 'no-store' };

/** Answers with a refusal. `isLast` ends the connection after it. */
export function refuse(response: ServerResponse, reason: Refusal, isLast: boolean): void {
  const { status } = reason;
  const body = bodyOf(reason);
  if (isLast) response.setHeader('connection', 'close');
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(isTemporary(status) && { 'retry-after': `${RETRY_AFTER + Math.floor(Math.random() * RETRY_JITTER)}` }),
  });
  response.end(body);
}

/** Answers a request of the read API with a refusal. */
export function refuseRead(response: Response, reason: Refusal): void {
  response.set('cache-control', 'no-store');
  if (reason.status === 503) response.set('retry-after', `${RETRY_AFTER}`);
  response.status(reason.status).type('application/json').send(bodyOf(reason));
}

/**
 * The refusal that answers an error: the error itself if it is a refusal, `disk-full` for a full store, `store-away` for one that does not answer, and otherwise a generic failure
 * without details.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreFull) return refusal('disk-full', 'room on the disk', 'none');
  if (error instanceof StoreAway) return refusal('store-away', 'a database that answers', 'none; try again later');
  const { status = 500 } = error as { readonly status?: number };
  if (status >= 400 && status < 500) return new Refusal(status, 'bad-request', 'a well-formed request', 'another');
  return new Refusal(500, 'internal', 'no failure', 'one; the log has it');
}
