/**
 * `POST /v1/reports`. A batch is validated completely, made durable together with its id, and only then acknowledged. Nothing about the
 * sender is stored.
 */

import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dayNumber, dayText, MAX_REPORTS } from '@murmuration/shared';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { StoreAway, StoreFull } from '../base/fault.ts';
import { checkStructure } from '../base/json.ts';
import { Refusal, refusal } from '../base/refusal.ts';
import type { Published } from '../schemas/catalog.ts';
import type { Administration } from '../storage/admin/administration.ts';
import type { AcceptedBatch, Entry, Store } from '../storage/store.ts';
import { isReadable, lengthOf, readBody, UnfinishedBodies } from './body.ts';
import { Capacity, type CapacityOptions } from './capacity.ts';
import { ClockWatch } from './clock.ts';
import { parseBatch, type SchemaLookup } from './parse-batch.ts';
import { HEADERS, refusalOf, refuse } from './refuse.ts';
import { type Sender, SenderLimits } from './sender-limits.ts';

/** The path of the route. */
export const REPORTS = '/v1/reports';

/** True if a request is one of the route. Its address has one spelling, as with any other route. */
export const isReport = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'POST' && url.startsWith(REPORTS) && (url.length === REPORTS.length || url[REPORTS.length] === '?');

/** The depth of a batch: an object, its list of reports, a report. It has fewer parts than twice its most reports. */
const [DEPTH, MOST_PARTS] = [3, 2 * MAX_REPORTS];

/** Takes a batch, and answers. Express's properties of a request are there, and nothing has read its body. */
export type TakeReports = (request: Request, response: ServerResponse<IncomingMessage>) => void;

/** Parts of the ingest route. */
interface IngestParts {
  readonly schemas: SchemaLookup;
  readonly store: Store;
  readonly capacity: Capacity;
  readonly unfinished: UnfinishedBodies;
  readonly clock: ClockWatch;
  /** Called for each answer. */
  readonly answered: (status: number, refusal?: Refusal) => void;
  /** Called for each failure, which is no refusal. */
  readonly failed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Origins of pages that may report. Default: any. */
  readonly origins?: readonly string[] | undefined;
  readonly limits: SenderLimits;
  /** Reports of one metric in one batch. */
  readonly perMetric: number;
}

/** Options of the ingest: where batches go, what they are checked against, and the limits of `CollectorOptions`. */
export interface IngestOptions
  extends CapacityOptions,
    Pick<IngestParts, 'schemas' | 'store' | 'answered' | 'failed' | 'now' | 'origins' | 'perMetric'> {
  /** The write keys that batches need; undefined where they need none. */
  readonly keys: Pick<Administration, 'writeKey'> | undefined;
  readonly perMinute?: number | undefined;
  readonly mostArriving: number;
  readonly log: Logger;
  /** Called with the number of days from the collector's day to the day of a batch. */
  readonly skewed: (days: number) => void;
}

/** The ingest of a collector: its route, and what is watched of it. */
export interface Ingest {
  readonly takeReports: TakeReports;
  readonly capacity: Capacity;
  readonly unfinished: UnfinishedBodies;
  readonly clock: ClockWatch;
  readonly close: () => void;
}

/** Creates the ingest of a collector. Resolves once the free space of the disk is known. */
export async function createIngest(options: IngestOptions): Promise<Ingest> {
  const { log, skewed, keys, perMinute, mostArriving } = options;
  const capacity = new Capacity(options);
  await capacity.look();
  const unfinished = new UnfinishedBodies(mostArriving);
  const clock = new ClockWatch({ log, onSkew: skewed });
  const limits = new SenderLimits(keys, perMinute);
  return {
    takeReports: ingest({ ...options, capacity, unfinished, clock, limits }),
    capacity,
    unfinished,
    clock,
    close: () => capacity.close(),
  };
}

/** The ingest route. */
function ingest(parts: IngestParts): TakeReports {
  const { schemas, store, capacity, unfinished, clock, answered, failed, now, origins, limits, perMetric } = parts;
  const allowed = origins && new Set(origins);

  const check = (request: IncomingMessage): void => {
    const { origin } = request.headers;
    if (allowed !== undefined && origin !== undefined && !allowed.has(origin))
      throw refusal('bad-origin', 'an origin that may report here', origin);
    limits.checkKey(request.url ?? '');
    capacity.check(lengthOf(request));
  };

  /** Validates a batch, after the app of its sender. @throws {Refusal} when it can't be counted */
  const parse = (body: Buffer, today: number, sender: Sender): AcceptedBatch => {
    const get = (wire: string): Published | undefined => {
      sender.check(wire); // first of all, so that a key of another app learns nothing of this one's schemas
      return schemas.get(wire);
    };
    checkStructure(body, DEPTH, MOST_PARTS);
    try {
      return parseBatch(body.toString('utf8'), { get }, today, perMetric);
    } catch (error) {
      throw clock.judge(error, today);
    }
  };

  /** Counts a batch. @throws {Refusal} when it is not counted now and was not counted before */
  const count = async (entry: Entry, today: number): Promise<void> => {
    const appended = await store.append(entry);
    if (appended === 'conflict') throw refusal('conflict', 'the bytes that this batch id came with on this day', 'others');
    if (appended === 'full') throw refusal('no-room', 'room in the store for what is new in this batch', 'none; try again later');
    if (appended === 'unread') throw refusal('busy', 'a day whose ids have been read since the start', 'another; try again later');
    // The clock was ahead once, and the ids of that day were deleted then.
    if (appended === 'expired') {
      throw clock.judge(refusal('stale-day', 'a day whose batches can still be told apart', dayText(entry.day)), today);
    }
    clock.timely(entry.day, today);
  };

  /** Validates a body, and resolves when it is counted. */
  const take = async (request: Request, body: Buffer): Promise<void> => {
    const time = now();
    const today = dayNumber(time);
    const sender = limits.senderOf(request, today, time);
    let reports = 1;
    let batch: AcceptedBatch;
    try {
      batch = parse(body, today, sender);
      reports = batch.count;
    } finally {
      sender.spend(reports);
    }
    await count({ ...batch, hash: hash('sha256', body, 'hex') }, today);
  };

  return (request, response) => {
    const finish = async (body: Buffer): Promise<void> => {
      capacity.enter(body.length);
      try {
        await take(request, body);
      } finally {
        capacity.leave(body.length);
      }
      response.writeHead(204, HEADERS).end();
      answered(204);
    };
    const turnAway = (refusal: Refusal, isLast: boolean): void => {
      refuse(response, refusal, isLast);
      answered(refusal.status, refusal);
    };
    const fail = (error: unknown): void => {
      // A body without an acceptable length is not read, and its connection is closed. Other bodies are read and discarded: under overload,
      // a new connection would cost more.
      if (error instanceof Refusal) return turnAway(error, !isReadable(request));
      if (error instanceof StoreAway) return turnAway(refusalOf(error), false);
      if (!(error instanceof StoreFull)) {
        failed(error);
        return turnAway(refusalOf(error), false);
      }
      capacity.fill();
      turnAway(refusal('disk-full', 'room on the disk', 'none'), false);
    };
    // Skips the action when the server has already answered because the body took too long.
    const inTime = <T>(act: (value: T) => void): ((value: T) => void) => {
      return (value) => {
        if (!response.writableEnded) act(value);
      };
    };
    if (request.readableEnded)
      return fail(new Error('expected a body that nothing has read, got one that a parser has: mount the collector before it'));
    try {
      check(request);
      const heard = inTime((body: Buffer) => void finish(body).catch(fail));
      readBody(response, unfinished, heard, inTime(fail));
    } catch (error) {
      fail(error);
    }
  };
}
