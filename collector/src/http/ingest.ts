/** `POST /v1/reports`: checked in full, durable with its id, and only then acknowledged. Nothing about the sender is kept. */

import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ACCEPTED_DAYS, dayNumber, dayText, type Published, parseBatch, REFUSALS, Refusal } from '@murmuration/shared';
import type { RequestHandler, Response } from 'express';
import { type Appended, type Entry, type Store, StoreFull } from '../store/store.ts';
import { checkLength, readBody } from './body.ts';
import { problemText } from './problem.ts';
import type { Room } from './room.ts';
import { Sources } from './sources.ts';

/** Ids outlive the days on which their batches are accepted by so many: a replay can't slip in between. */
const ID_MARGIN = 2;
/** Seconds after which a device may come again: at least, and up to so many more, so that not all come at once. */
const RETRY_AFTER = 5;
const RETRY_JITTER = 25;

/** What the ingest route needs. */
export interface IngestParts {
  readonly schemas: ReadonlyMap<string, Published>;
  readonly store: Store;
  readonly room: Room;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Pages that may report; all when left out. */
  readonly origins?: readonly string[] | undefined;
  /** Reports that one source may send in a minute; any number when left out. */
  readonly perMinute?: number | undefined;
  /** Reports of one metric in one batch; up to the batch's own limit when left out. */
  readonly perMetric?: number | undefined;
  /** Whether the collector is about to stop: connections are not kept. */
  readonly isClosing: () => boolean;
}

/** Any page may read whether it was heard: the answer holds nothing about anybody. */
const HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after', 'cache-control': 'no-store' };

function refuse(response: Response, request: IncomingMessage, { code, expected, got }: Refusal, isClosing: boolean): void {
  const status = REFUSALS[code];
  const isTemporary = status === 429 || status >= 500;
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'application/json; charset=utf-8',
    ...(isTemporary && { 'retry-after': `${RETRY_AFTER + Math.floor(Math.random() * RETRY_JITTER)}` }),
    ...((isClosing || !request.complete) && { connection: 'close' }),
  });
  response.end(problemText(code, expected, got));
}

/** The ingest route. */
export function ingest({ schemas, store, room, now, origins, perMinute, perMetric, isClosing }: IngestParts): RequestHandler {
  const allowed = origins && new Set(origins);
  const sources = perMinute === undefined ? undefined : new Sources(perMinute);
  let latest = 0;

  /** Ids of days before this are forgotten, so no such day is accepted again, whatever the clock says later. */
  const firstKept = (): number => latest - ACCEPTED_DAYS.before - ID_MARGIN;

  const check = (request: IncomingMessage): void => {
    const { origin } = request.headers;
    if (allowed !== undefined && origin !== undefined && !allowed.has(origin))
      throw new Refusal('bad-origin', 'an origin that may report here', origin);
    checkLength(request);
    room.checkDisk();
  };

  /** Checks a body, and resolves when it is counted. */
  const take = (request: IncomingMessage, body: Buffer): Promise<Appended> => {
    const time = now();
    const today = dayNumber(time);
    const source = sources?.nameOf(request.socket.remoteAddress ?? '', today);
    if (source !== undefined && sources?.isSpent(source, time))
      throw new Refusal('too-many', `at most ${perMinute} reports a minute`, 'more; try again later');
    const { schema, day, id, segment, reports, count } = parseBatch(body.toString('utf8'), schemas, today, perMetric);
    if (source !== undefined) sources?.add(source, count, time);
    const expiry = today > latest;
    latest = Math.max(latest, today);
    if (day < firstKept()) throw new Refusal('stale-day', `a day from ${dayText(firstKept())}`, dayText(day));
    const entry: Entry = { schema, day, id, segment, reports, count, hash: hash('sha256', body, 'buffer') };
    return expiry ? store.expire(firstKept()).then(() => store.append(entry)) : store.append(entry);
  };

  return (request, response, next) => {
    const finish = async (body: Buffer): Promise<void> => {
      room.enter(body.length);
      try {
        if ((await take(request, body)) === 'conflict') throw new Refusal('conflict', 'the bytes that this batch id came with', 'others');
      } finally {
        room.leave(body.length);
      }
      response.writeHead(204, isClosing() ? { ...HEADERS, connection: 'close' } : HEADERS).end();
    };
    const fail = (error: unknown): void => {
      if (error instanceof Refusal) return refuse(response, request, error, isClosing());
      if (!(error instanceof StoreFull)) return next(error);
      room.fill();
      refuse(response, request, new Refusal('disk-full', 'room on the disk', 'none'), isClosing());
    };
    try {
      check(request);
      readBody(request, (body) => void finish(body).catch(fail));
    } catch (error) {
      fail(error);
    }
  };
}
