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

/** Milliseconds after which an answer is not waited for: a second less than the sender waits, so that a status counts whose body never ends. */
const PATIENCE = 9_000;
/** Bytes of a refusal, about: what is longer is not read to its end. */
const MOST = 65_536;

/** The text of a body, or its beginning. */
async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return response.text(); // React Native has no streams
  const decoder = new TextDecoder();
  let text = '';
  for (let isDone = false; !isDone && text.length < MOST; ) {
    const part = await reader.read();
    isDone = part.done;
    text += decoder.decode(part.value, { stream: true });
  }
  void attempt(() => reader.cancel());
  return text;
}

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
  const delivery = { status, retryAfter: Number(headers.get('retry-after')) || 0 };
  if (status < 400 || status > 499) {
    void attempt(() => response.body?.cancel()); // one that nobody reads would keep its connection, and a Node program with it
    return delivery;
  }
  const reason = (await attempt(() => textOf(response))) ?? '';
  const stop = attempt(() => JSON.parse(reason).stop as Delivery['stop']);
  return { ...delivery, reason, ...(stop && { stop }) };
};
