/** How a batch leaves the device: one POST, no cookies, no referrer, no preflight. */

import { attempt } from '../maybe.ts';

/** What is to be sent, and where. */
export interface Upload {
  readonly url: string;
  readonly body: string;
}

/** An answer. */
export interface Delivery {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The server's Retry-After, in seconds. */
  readonly retryAfter?: number;
  /** Why the collector refused the batch, in its words. */
  readonly reason?: string;
  /** Metrics that the collector has retired; true for all of this schema. */
  readonly stop?: true | readonly string[];
}

/** Sends an upload; rejects when there was no answer. It must begin synchronously: a page that is being left runs nothing later. */
export type Transport = (upload: Upload) => Promise<Delivery>;

/** Milliseconds after which an answer is not waited for. */
const PATIENCE = 10_000;

/** `fetch` with keepalive, which outlives the page; `text/plain` needs no preflight. */
export const fetchTransport: Transport = async ({ url, body }) => {
  const response = await fetch(url, {
    method: 'POST',
    body,
    keepalive: true,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'error',
    headers: { 'content-type': 'text/plain' },
    ...(AbortSignal.timeout && { signal: AbortSignal.timeout(PATIENCE) }), // some engines have none
  });
  const { status, headers } = response;
  if (status < 400 || status > 499) return { status, retryAfter: Number(headers.get('retry-after')) || 0 };
  const reason = await response.text().catch(() => '');
  const stop = attempt(() => JSON.parse(reason).stop as Delivery['stop']);
  return { status, retryAfter: Number(headers.get('retry-after')) || 0, reason, ...(stop && { stop }) };
};
