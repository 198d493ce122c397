/** How a batch is sent: one POST request without cookies, referrer or preflight. */

import { FETCH_PATIENCE, MOST_READ } from '../limits.ts';
import { attempt } from '../maybe.ts';

/** An upload: content and address. */
export interface Upload {
  readonly url: string;
  readonly body: string;
}

/** The collector's response. */
export interface Delivery {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The server's Retry-After, in seconds. It counts if it is above 0. */
  readonly retryAfter?: number;
  /** The text of the response, at least where the status is 4xx: a collector says there why it refuses the batch. */
  readonly body?: string | undefined;
}

/** Sends an upload; rejects if there was no response. It must begin synchronously, because a page that is being left runs nothing later. */
export type Transport = (upload: Upload) => Promise<Delivery>;

/** The text of a body, truncated if it is long. */
async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return response.text(); // React Native has no streams
  const decoder = new TextDecoder();
  const read = async (text: string): Promise<string> => {
    const { done, value } = await reader.read();
    return done || text.length >= MOST_READ ? text : read(text + decoder.decode(value, { stream: true }));
  };
  const text = await read('');
  void attempt(() => reader.cancel());
  return text;
}

/** Uses `fetch` with keepalive, which outlives the page. `text/plain` needs no preflight. */
export const fetchTransport: Transport = async ({ url, body }) => {
  const response = await fetch(url, {
    method: 'POST',
    body,
    keepalive: true,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'error',
    headers: { 'content-type': 'text/plain' },
    signal: AbortSignal.timeout?.(FETCH_PATIENCE) ?? null, // some engines have none
  });
  const { status, headers } = response;
  return {
    status,
    retryAfter: Number(headers.get('retry-after')),
    // An unread body would keep its connection open, and with it a Node program.
    body: status > 399 && status < 500 ? await attempt(() => textOf(response)) : void attempt(() => response.body?.cancel()),
  };
};
