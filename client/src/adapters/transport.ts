/** How a batch leaves the device: one POST, no cookies, no referrer, no preflight. */

/** What is to be sent, and where. */
export interface Upload {
  readonly url: string;
  readonly body: string;
}

/** The HTTP status, 0 when there was no answer, and the server's Retry-After in seconds. */
export interface Delivery {
  readonly status: number;
  readonly retryAfter?: number;
}

/** Sends an upload; rejects when there was no answer. It must begin synchronously: a page that is being left runs nothing later. */
export type Transport = (upload: Upload) => Promise<Delivery>;

/** `fetch` with keepalive, which outlives the page; `text/plain` needs no preflight. */
export const fetchTransport: Transport = async ({ url, body }) => {
  const { status, headers } = await fetch(url, {
    method: 'POST',
    body,
    keepalive: true,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    redirect: 'error',
    headers: { 'content-type': 'text/plain' },
  });
  return { status, retryAfter: Number(headers.get('retry-after')) || 0 };
};
