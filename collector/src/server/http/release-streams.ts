/**
 * `/v1/release/streams`: streams of counting questions. An analyst opens one for themselves, since whoever may ask is charged; an admin for
 * several. Nobody but a stream's analysts may ask it, and only they, reviewers and admins see its answers.
 */

import express, { type Request, type Response, type Router } from 'express';
import { MOST_ASKED } from '../../api/openapi/release-answers.ts';
import { openForm, questionForm } from '../../api/openapi/release-streams.ts';
import { Refusal } from '../../base/refusal.ts';
import { StreamOver } from '../../release/streams/ask.ts';
import type { Opening } from '../../release/streams/opening.ts';
import type { Reader as StreamReader } from '../../release/streams/stream.ts';
import type { Streams } from '../../release/streams/streams.ts';
import type { Catalog } from '../../schemas/catalog.ts';
import { includesRole } from '../../storage/admin/credentials.ts';
import { readerOf } from './access.ts';
import { exactRouter } from './exact-router.ts';
import { bodyOf, refusing } from './release-refusals.ts';

/** What the routes need. */
export interface StreamRouteParts {
  readonly streams: Streams;
  readonly catalogOf: (response: Response) => Catalog;
}

/** What the reader may see: all streams, for reviewers and admins. */
function seenBy(response: Response): StreamReader {
  const { who, role, apps } = readerOf(response);
  return { apps, ...(!includesRole(role, 'reviewer') && { analyst: who }) };
}

/** The number of the path. @throws {RangeError} when it is none */
function numberOf({ params }: Request): number {
  const text = String(params['stream']);
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new RangeError(`stream: expected the number of a stream, got ${JSON.stringify(text.slice(0, 20))}`);
  return Number(text);
}

/** How many answers are wanted; all without it. @throws {RangeError} when it is no such number */
function newestOf({ query }: Request): number | undefined {
  const text = query['newest'];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[1-9]\d{0,4}$/.test(text))
    throw new RangeError(`newest: expected a whole number from 1 to 99999, got ${JSON.stringify(text).slice(0, 20)}`);
  return Number(text);
}

/** The routes. They come after `requireReader`. */
export function streamRouter({ streams, catalogOf }: StreamRouteParts): Router {
  /** @throws {Refusal} when the reader may not charge one of the analysts */
  const openingOf = (request: Request, response: Response): Opening & { readonly who: string; readonly again: boolean } => {
    const { who, role } = readerOf(response);
    const { analysts = [who], again = false, stream } = bodyOf(request, openForm);
    const others = analysts.filter((analyst) => analyst !== who);
    if (others.length > 0 && !includesRole(role, 'admin'))
      throw new Refusal(403, 'forbidden', 'an admin, to charge other analysts', `${who}, ${role}`);
    return { analysts, request: stream, catalog: catalogOf(response), who, again };
  };
  const list = async (_request: Request, response: Response): Promise<unknown> => ({ streams: await streams.list(seenBy(response)) });
  const show = async (request: Request, response: Response): Promise<unknown> =>
    streams.show(seenBy(response), numberOf(request), newestOf(request));
  const ask = async (request: Request, response: Response): Promise<unknown> => {
    const { who, apps } = readerOf(response);
    const { where = {} } = bodyOf(request, questionForm);
    return streams.ask({ analyst: who, apps, stream: numberOf(request), where });
  };
  /** Whoever paid alone may close a stream; one that others paid for, an admin. */
  const close = async (request: Request, response: Response): Promise<unknown> => {
    const stream = await streams.show(seenBy(response), numberOf(request), 0);
    const { who, role } = readerOf(response);
    const isOwn = stream.analysts.length === 1 && stream.analysts[0] === who;
    if (!isOwn && !includesRole(role, 'admin'))
      throw new Refusal(403, 'forbidden', 'its only analyst or an admin, to close a stream', `${who}, ${role}`);
    if (stream.ended !== undefined) throw new StreamOver(stream); // its counts were deleted when it was found
    return streams.close(who, stream.stream);
  };
  const body = express.json({ limit: MOST_ASKED });
  return exactRouter()
    .get('/v1/release/streams', refusing(list))
    .get('/v1/release/streams/:stream', refusing(show))
    .post(
      '/v1/release/streams/preview',
      body,
      refusing((request, response) => streams.preview(openingOf(request, response))),
    )
    .post(
      '/v1/release/streams',
      body,
      refusing((request, response) => streams.open(openingOf(request, response))),
    )
    .post('/v1/release/streams/:stream/ask', body, refusing(ask))
    .post('/v1/release/streams/:stream/close', refusing(close));
}
