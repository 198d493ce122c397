/** The requests of a reader: for one JSON document, or for events until there is an answer. */

import type { RefusalBody } from '../../base/refusal.ts';
import { eventsOf } from './events.ts';
import { ReadError } from './read-error.ts';

interface RequestParts {
  readonly base: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until a request is given up: as a whole, or without a word from the collector. */
  readonly timeout: number;
  readonly send: typeof fetch;
}

/** Requests. They reject with a `ReadError` when the collector refuses, and with what `fetch` throws when it can't be reached. */
export interface Requests {
  readonly get: <T>(address: string, signal: AbortSignal | undefined) => Promise<T>;
  /** Calls `onProgress` with the data of each `progress`, and resolves to that of the `answer`. */
  readonly follow: <T, P>(address: string, signal: AbortSignal | undefined, onProgress: (how: P) => void) => Promise<T>;
}

/** The JSON of a response. @throws {ReadError} */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    if (response.ok)
      throw new ReadError(response.status, null, 'The collector’s answer is not JSON. Does something else serve this address?');
  }
  if (!response.ok) throw new ReadError(response.status, (body ?? null) as Partial<RefusalBody> | null);
  return body;
}

const either = (signal: AbortSignal | undefined, late: AbortSignal): AbortSignal => (signal ? AbortSignal.any([signal, late]) : late);

export function createRequests({ base, headers, timeout, send }: RequestParts): Requests {
  const ask = (address: string, accept: string, signal: AbortSignal): Promise<Response> =>
    send(new URL(address, base), { headers: { accept, ...headers }, signal });
  return {
    get: async <T>(address: string, signal: AbortSignal | undefined) =>
      (await jsonOf(await ask(address, 'application/json', either(signal, AbortSignal.timeout(timeout))))) as T,
    follow: async <T, P>(address: string, signal: AbortSignal | undefined, onProgress: (how: P) => void) => {
      const silent = new AbortController();
      let late: ReturnType<typeof setTimeout> | undefined;
      const heard = (): void => {
        clearTimeout(late);
        late = setTimeout(() => silent.abort(new DOMException('The collector is silent.', 'TimeoutError')), timeout);
      };
      heard();
      try {
        const response = await ask(address, 'text/event-stream', either(signal, silent.signal));
        if (!response.ok || response.body === null) return (await jsonOf(response)) as T;
        for await (const { event, data } of eventsOf(response.body, heard)) {
          if (event === 'progress') onProgress(data as P);
          if (event === 'answer') return data as T;
          if (event === 'refusal') {
            const refusal = data as RefusalBody & { readonly status: number };
            throw new ReadError(refusal.status, refusal);
          }
        }
        throw new ReadError(response.status, null, 'The collector’s answer ended before it was whole.');
      } finally {
        clearTimeout(late);
      }
    },
  };
}
