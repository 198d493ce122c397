/** The requests of a reader: for one JSON document, or for events until there is an answer, and what a refusal becomes. */

import type { RefusalBody } from '../../base/refusal.ts';

// The error of a reader whose request a collector refused.

/** The collector answered, but not with what was asked: the refusal's fields, as far as it has any. */
export class ReadError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly expected: string | undefined;
  readonly got: string | undefined;

  constructor(status: number, refusal: Partial<RefusalBody> | null, message?: string) {
    const { error, expected, got } = refusal ?? {};
    const parts = [error && `, ${error}`, '.', expected && ` Expected ${expected}.`, got && ` Got ${got}.`];
    super(message ?? `The collector answered ${status}${parts.filter(Boolean).join('')}`);
    this.name = 'ReadError';
    this.status = status;
    this.code = error;
    this.expected = expected;
    this.got = got;
  }
}

// Server-sent events (HTML Living Standard, section 9.2) from a response to `fetch`, as far as the collector sends them.

/** An event with its data, which is one line of JSON. */
interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

const field = (lines: readonly string[], name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);

/** The events of a body as they come. Comments, which keep the connection alive, are left out. `onPart` is called whenever anything comes. */
async function* eventsOf(body: ReadableStream<Uint8Array>, onPart: () => void): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = []; // a large answer comes in thousands of parts, so they are joined once
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      onPart();
      parts.push(decoder.decode(next.value, { stream: true }));
      if (!`${parts.at(-2)?.slice(-1) ?? ''}${parts.at(-1)}`.includes('\n\n')) continue;
      const blocks = parts.splice(0).join('').split('\n\n');
      parts.push(blocks.pop() ?? '');
      for (const block of blocks) {
        const lines = block.split('\n');
        const [event, data] = [field(lines, 'event'), field(lines, 'data')];
        if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface RequestParts {
  readonly base: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until a request is given up: as a whole, or without a word from the collector. */
  readonly timeout: number;
  readonly send: typeof fetch;
}

/** Requests. They reject with a `ReadError` when the collector refuses, and with what `fetch` throws when it can't be reached. */
export interface Requests {
  /** An answer that has not changed since is the same object. */
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
  const ask = (address: string, asked: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> =>
    send(new URL(address, base), { headers: { ...asked, ...headers }, signal });
  /** The answers that had a tag: those that are asked for again and again. */
  const tagged = new Map<string, { readonly tag: string; readonly value: unknown }>();
  return {
    get: async <T>(address: string, signal: AbortSignal | undefined) => {
      const before = tagged.get(address);
      const asked = { accept: 'application/json', ...(before && { 'if-none-match': before.tag }) };
      const response = await ask(address, asked, either(signal, AbortSignal.timeout(timeout)));
      if (response.status === 304 && before !== undefined) return before.value as T;
      const value = (await jsonOf(response)) as T;
      const tag = response.headers.get('etag');
      if (tag !== null) tagged.set(address, { tag, value });
      return value;
    },
    follow: async <T, P>(address: string, signal: AbortSignal | undefined, onProgress: (how: P) => void) => {
      const silent = new AbortController();
      let late: ReturnType<typeof setTimeout> | undefined;
      const heard = (): void => {
        clearTimeout(late);
        late = setTimeout(() => silent.abort(new DOMException('The collector is silent.', 'TimeoutError')), timeout);
      };
      heard();
      try {
        const response = await ask(address, { accept: 'text/event-stream' }, either(signal, silent.signal));
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
