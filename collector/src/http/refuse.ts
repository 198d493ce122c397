/** Refusals as answers over HTTP: to devices, and to those who read. */

import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { bodyOf, type Refusal } from './refusal.ts';

/** Seconds after which a device may come again: at least, and up to so many more, so that not all come at once. */
const RETRY_AFTER = 5;
const RETRY_JITTER = 25;

/** Any page may read whether it was heard: the answer holds nothing about anybody. */
export const HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after', 'cache-control': 'no-store' };

/** Answers with a refusal, with which the connection may end. */
export function refuse(response: ServerResponse, refusal: Refusal, isLast: boolean): void {
  const { status } = refusal;
  const isTemporary = status === 429 || status >= 500;
  const body = bodyOf(refusal);
  if (isLast) response.setHeader('connection', 'close');
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(isTemporary && { 'retry-after': `${RETRY_AFTER + Math.floor(Math.random() * RETRY_JITTER)}` }),
  });
  response.end(body);
}

/** Answers a request of the read API with a refusal. */
export function refuseRead(response: Response, refusal: Refusal): void {
  response.status(refusal.status).type('application/json').send(bodyOf(refusal));
}
