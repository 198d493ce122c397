/** Sends a page of an answer, as fast as the reader takes it, from bytes that other readers share. */

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { HeldAnswer } from '../../answers/packed-answer.ts';
import { type PackedAnswer, type Page, partsOf } from '../../answers/packed-answer.ts';
import { bodyOf } from '../../base/refusal.ts';
import { refusalOf } from '../../ingest/refuse.ts';

/** Bytes that are written at once. */
const CHUNK = 2 ** 16;

/** A reader that takes less than this many bytes a second, over the whole answer, is cut off. It would hold the answer for too long. */
const LEAST_RATE = 2 ** 16;
/** Milliseconds that every reader has besides. */
const GRACE = 20_000;

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Resolves when the chunk is handed to the system, or the connection has ended. */
const written = (response: Response, chunk: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(chunk, done);
  });

/** Bytes from which on an answer is worth compressing. */
const WORTH = 1_000;

/** Bytes up to which an answer is compressed. A reader who takes nothing then holds no more of it than the system does for each connection. */
const MOST_COMPRESSED = CHUNK;

const compress = promisify(gzip);

/** Sends a page, compressed where the reader takes that. Resolves when it is sent, or the connection has ended. */
export async function sendPage(
  response: Response,
  answer: PackedAnswer,
  page: Page,
  mostCompressed: number = MOST_COMPRESSED,
): Promise<void> {
  const parts = partsOf(answer, page);
  const length = lengthOf(parts);
  const isHead = response.req.method === 'HEAD';
  const isCompressed = length >= WORTH && length <= mostCompressed && !isHead && Boolean(response.req.acceptsEncodings('gzip'));
  const sent = isCompressed ? [await compress(Buffer.concat(parts))] : parts;
  const bytes = lengthOf(sent);
  response.status(200).set({
    'content-type': 'application/json; charset=utf-8',
    'content-length': `${bytes}`,
    'cache-control': 'no-store',
    vary: 'accept-encoding',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  });
  if (isHead) return void response.end();
  await sendParts(response, sent, bytes);
}

/** The codings of what is compressed once for all who ask, the shortest first. */
const CODINGS = ['br', 'gzip', 'identity'] as const;

/** Bytes in each coding. */
export type Coded = { readonly [coding in (typeof CODINGS)[number]]: Buffer };

/** The tag of bytes, by which a reader who still has them is known. */
export const tagOf = ({ identity }: Coded): string => `"${hash('sha256', identity, 'base64url')}"`;

const brotli = promisify(brotliCompress);

/** The best quality that takes milliseconds for 100 kB. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** A text in each coding. */
export async function codedText(text: string): Promise<Coded> {
  const identity = Buffer.from(text);
  const [br, gzipped] = await Promise.all([brotli(identity, QUALITY), compress(identity)]);
  return { br, gzip: gzipped, identity };
}

/** Sends bytes in the shortest coding that the reader takes: nothing where the reader still has them, by their tag. */
export function sendCoded(response: Response, bytes: Coded): void {
  const { req: request } = response;
  response.vary('accept-encoding');
  if (request.fresh) return void response.status(304).end();
  const coding = (request.acceptsEncodings([...CODINGS]) || 'identity') as keyof Coded;
  if (coding !== 'identity') response.set('content-encoding', coding);
  response.send(bytes[coding]);
}

/** Sends JSON that anybody may have, on any page, and keep for so many seconds. */
export function sendToAnybody(response: Response, body: Coded, maxAge: number): void {
  response.type('json').set({
    etag: tagOf(body),
    'cache-control': `public, max-age=${maxAge}`,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  sendCoded(response, body);
}

/**
 * Sends a page that is asked for again and again: nothing where the reader still has it (RFC 9110 section 13.1.2). The tag is of the answer, so
 * each address has its own.
 */
export async function sendTagged(response: Response, answer: PackedAnswer, page: Page, tag: string): Promise<void> {
  response.set({ etag: tag, vary: 'accept-encoding', 'cache-control': 'no-store' });
  // Not `fresh` of Express: `fetch` adds `Cache-Control: no-cache` to a request with a tag, which is about caches on the way.
  const known = response.req.get('if-none-match')?.split(/\s*,\s*/) ?? [];
  if (known.includes(tag)) return void response.status(304).end();
  await sendPage(response, answer, page, Number.POSITIVE_INFINITY);
}

/** Sends the parts of so many bytes, and ends the response. */
async function sendParts(response: Response, parts: readonly Uint8Array[], length: number): Promise<void> {
  const late = setTimeout(() => response.destroy(), GRACE + (1_000 * length) / LEAST_RATE);
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length && !response.closed; at += CHUNK) await written(response, part.subarray(at, at + CHUNK));
    }
    response.end(); // only now, when nothing is left to send: a server that stops takes an ended response for a sent one
  } finally {
    clearTimeout(late);
  }
}

/** How old an answer may be, in milliseconds: `Cache-Control: max-age` of a request (RFC 9111 section 5.2.1.1). Default: 0. */
export const maxAgeOf = (request: Request): number =>
  1_000 * Number(/(?:^|[\s,])max-age=(\d{1,5})(?:$|[\s,])/.exec(request.get('cache-control') ?? '')?.[1] ?? 0);

/** A signal that is aborted when the connection has ended, or the response is sent. */
export function endOf(response: Response): AbortSignal {
  const control = new AbortController();
  response.once('close', () => control.abort());
  if (response.closed) control.abort();
  return control.signal;
}

// A long computation as server-sent events (HTML Living Standard, section 9.2): `progress` whenever it changes, then one `answer` or one
// `refusal`, and the stream ends.

const EVENTS = 'text/event-stream';

/** Proxies close connections that are silent for a minute. */
const BEAT = 15_000;

/** True if the reader prefers events to one JSON document. */
export const wantsEvents = (request: Request): boolean =>
  request.method === 'GET' && request.accepts('application/json', EVENTS) === EVENTS;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Sends what `compute` tells, then a page of its answer. Resolves when it is sent, or the connection has ended. */
export async function sendEvents<Progress>(
  response: Response,
  page: Page,
  compute: (onProgress: (how: Progress) => void) => Promise<HeldAnswer>,
): Promise<void> {
  response.status(200).set({ 'content-type': EVENTS, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  // A reader who does not read misses progress, and holds no memory.
  const write = (text: string): void => void (response.writableNeedDrain || response.write(text));
  const beat = setInterval(() => write(': \n\n'), BEAT);
  try {
    const { answer, release } = await compute((how) => write(`event: progress\ndata: ${JSON.stringify(how)}\n\n`));
    try {
      // The JSON is one line, and ends with a line feed.
      const parts = [bytes('event: answer\ndata: '), ...partsOf(answer, page), bytes('\n')];
      await sendParts(response, parts, lengthOf(parts));
    } finally {
      release();
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (response.closed || refusal.status === 500) throw error;
    const data = { status: refusal.status, ...(JSON.parse(bodyOf(refusal)) as object) };
    response.end(`event: refusal\ndata: ${JSON.stringify(data)}\n\n`);
  } finally {
    clearInterval(beat);
  }
}
