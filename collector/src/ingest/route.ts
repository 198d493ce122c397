/** `POST /v1/reports`: checked in full, durable with its id, and only then acknowledged. Nothing about the sender is kept. */

import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ACCEPTED_DAYS, dayNumber, dayText } from '@murmuration/shared';
import type { RequestHandler } from 'express';
import { Refusal, refusal } from '../http/refusal.ts';
import { HEADERS, refuse } from '../http/refuse.ts';
import { type Entry, type Store, StoreFull } from '../store/store.ts';
import { isReadable, lengthOf, readBody } from './body.ts';
import type { Capacity } from './capacity.ts';
import { type Published, parseBatch } from './parse-batch.ts';
import { RateLimits } from './rate-limits.ts';
import type { UnfinishedBodies } from './unfinished-bodies.ts';

/** Ids outlive the days on which their batches are accepted by so many: a replay can't slip in between. */
const ID_MARGIN = 2;

/** What the ingest route needs. */
export interface IngestParts {
  readonly schemas: ReadonlyMap<string, Published>;
  readonly store: Store;
  readonly capacity: Capacity;
  readonly unfinished: UnfinishedBodies;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Pages that may report; all when left out. */
  readonly origins?: readonly string[] | undefined;
  /** Reports that one source may send in a minute; any number when left out. */
  readonly perMinute?: number | undefined;
  /** Reports of one metric in one batch; up to the batch's own limit when left out. */
  readonly perMetric?: number | undefined;
}

/** The ingest route. */
export function ingest({ schemas, store, capacity, unfinished, now, origins, perMinute, perMetric }: IngestParts): RequestHandler {
  const allowed = origins && new Set(origins);
  const sources = perMinute === undefined ? undefined : new RateLimits(perMinute);
  let latest = 0;

  const check = (request: IncomingMessage): void => {
    const { origin } = request.headers;
    if (allowed !== undefined && origin !== undefined && !allowed.has(origin))
      throw refusal('bad-origin', 'an origin that may report here', origin);
    capacity.check(lengthOf(request));
  };

  /** Counts a batch. @throws {Refusal} of one that is not counted, and was not before */
  const count = async (entry: Entry): Promise<void> => {
    const appended = await store.append(entry);
    if (appended === 'conflict') throw refusal('conflict', 'the bytes that this batch id came with', 'others');
    // The clock was ahead once, and has dropped the ids of that day.
    if (appended === 'expired') throw refusal('stale-day', 'a day whose batches can still be told apart', dayText(entry.day));
  };

  /** Checks a body, and resolves when it is counted. */
  const take = async (request: IncomingMessage, body: Buffer): Promise<void> => {
    const time = now();
    const today = dayNumber(time);
    const source = sources?.nameOf(request.socket.remoteAddress ?? '', today);
    if (source !== undefined && sources?.isSpent(source, time))
      throw refusal('too-many', `at most ${perMinute} reports a minute`, 'more; try again later');
    const batch = parseBatch(body.toString('utf8'), schemas, today, perMetric);
    if (source !== undefined) sources?.add(source, batch.count, time);
    if (today > latest) {
      latest = today;
      await store.expire(today - ACCEPTED_DAYS.before - ID_MARGIN);
    }
    await count({ ...batch, hash: hash('sha256', body, 'hex') });
  };

  return (request, response, next) => {
    const finish = async (body: Buffer): Promise<void> => {
      capacity.enter(body.length);
      try {
        await take(request, body);
      } finally {
        capacity.leave(body.length);
      }
      response.writeHead(204, HEADERS).end();
    };
    const fail = (error: unknown): void => {
      // A body of no accepted length is not read: its connection ends. Others are dropped as they come, for under overload a new connection would cost more.
      if (error instanceof Refusal) return refuse(response, error, !isReadable(request));
      if (!(error instanceof StoreFull)) return next(error);
      capacity.fill();
      refuse(response, refusal('disk-full', 'room on the disk', 'none'), false);
    };
    // The server has answered already where a body took too long.
    const inTime = <T>(act: (value: T) => void): ((value: T) => void) => {
      return (value) => {
        if (!response.writableEnded) act(value);
      };
    };
    try {
      check(request);
      const heard = inTime((body: Buffer) => void finish(body).catch(fail));
      readBody(response, unfinished, heard, inTime(fail));
    } catch (error) {
      fail(error);
    }
  };
}
