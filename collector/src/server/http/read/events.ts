/**
 * A long computation as server-sent events (HTML Living Standard, section 9.2): `progress` whenever it changes, then one `answer` or one
 * `refusal`, and the stream ends.
 */

import type { Request, Response } from 'express';
import type { HeldAnswer } from '../../../answers/answer-cache.ts';
import { type Page, partsOf } from '../../../answers/packed-answer.ts';
import { bodyOf } from '../../../base/refusal.ts';
import { refusalOf } from '../../../ingest/refuse.ts';
import { sendParts } from './send.ts';

const EVENTS = 'text/event-stream';

/** Proxies close connections that are silent for a minute. */
const BEAT = 15_000;

/** Whether the reader prefers events to one JSON document. */
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
      await sendParts(
        response,
        parts,
        parts.reduce((sum, { length }) => sum + length, 0),
      );
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
