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
import type { CheckToken } from './tokens.ts';

/** The path of the route. */
export const REPORTS = '/v1/reports';

/** True if a request is one of the route. Its address has one spelling, as with any other route. */
export const isReport = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'POST' && url.startsWith(REPORTS) && (url.length === REPORTS.length || url[REPORTS.length] === '?');

/** The depth of a batch: an object, its list of reports, a report. It has fewer parts than twice its most reports. */
const [DEPTH, MOST_PARTS] = [3, 2 * MAX_REPORTS];

/** Where a batch comes from, as far as that is looked at. */
interface From extends Pick<Request, 'url'> {
  /** Undefined where a relay hides it. */
  readonly ip: string | undefined;
  readonly origin: string | undefined;
  readonly isRelayed: boolean;
  /** The field of the request that a relay passed on. */
  readonly authorization?: string | undefined;
}

/** The one way of batches into the store, whatever brings them. */
export interface Intake {
  /** Checks who sends, and whether there is room for a body of so many bytes, before it is read. @throws {Refusal} */
  readonly check: (from: Pick<From, 'url' | 'origin'>, length: () => number) => void;
  /** Resolves when a batch is counted, or was counted before. Rejects for a batch that is not; `refusalFor` says why. */
  readonly receive: (from: From, body: Buffer) => Promise<void>;
  /** The refusal that answers an error. Failures are logged. */
  readonly refusalFor: (error: unknown) => Refusal;
  /** Counts an answer. */
  readonly answered: (status: number, refusal?: Refusal) => void;
}

/** Takes a batch, and answers. Express's properties of a request are there, and nothing has read its body. */
export type TakeReports = (request: Request, response: ServerResponse<IncomingMessage>) => void;

/** Parts of the intake. */
interface IntakeParts {
  readonly schemas: SchemaLookup;
  readonly store: Store;
  readonly capacity: Capacity;
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
  /** Throws unless a batch has the token that it needs. */
  readonly checkToken: CheckToken;
}

/** Options of the ingest: where batches go, what they are checked against, and the limits of `CollectorOptions`. */
export interface IngestOptions
  extends CapacityOptions,
    Pick<IntakeParts, 'schemas' | 'store' | 'answered' | 'failed' | 'now' | 'origins' | 'perMetric' | 'checkToken'> {
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
  readonly intake: Intake;
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
  const intake = createIntake({ ...options, capacity, clock, limits });
  return {
    takeReports: ingest(intake, unfinished),
    intake,
    capacity,
    unfinished,
    clock,
    close: () => capacity.close(),
  };
}

function createIntake(parts: IntakeParts): Intake {
  const { schemas, store, capacity, clock, answered, failed, now, origins, limits, perMetric, checkToken } = parts;
  const allowed = origins && new Set(origins);

  /** Validates a batch, after the app of its sender. @throws {Refusal} when it can't be counted */
  const parse = (body: Buffer, today: number, sender: Sender, isRelayed: boolean): AcceptedBatch => {
    const get = (wire: string): Published | undefined => {
      sender.check(wire); // first of all, so that a key of another app learns nothing of this one's schemas
      const published = schemas.get(wire);
      if (published?.document.relay === 'required' && !isRelayed)
        throw refusal('past-relay', 'a message that a relay has passed on, as the schema demands', 'one that came past it');
      return published;
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
  const take = async (from: From, body: Buffer): Promise<void> => {
    const time = now();
    const today = dayNumber(time);
    const sender = limits.senderOf(from, today, time);
    let reports = 1;
    let batch: AcceptedBatch;
    try {
      batch = parse(body, today, sender, from.isRelayed);
      reports = batch.count;
      checkToken(batch, schemas.get(batch.schema) as Published, from.authorization);
    } finally {
      sender.spend(reports);
    }
    await count({ ...batch, hash: hash('sha256', body, 'hex') }, today);
  };

  return {
    check: ({ url, origin }, length) => {
      if (allowed !== undefined && origin !== undefined && !allowed.has(origin))
        throw refusal('bad-origin', 'an origin that may report here', origin);
      limits.checkKey(url);
      capacity.check(length());
    },
    receive: async (from, body) => {
      capacity.enter(body.length);
      try {
        await take(from, body);
      } finally {
        capacity.leave(body.length);
      }
    },
    refusalFor: (error) => {
      if (error instanceof StoreFull) {
        capacity.fill();
        return refusal('disk-full', 'room on the disk', 'none');
      }
      if (!(error instanceof Refusal) && !(error instanceof StoreAway)) failed(error);
      return refusalOf(error);
    },
    answered,
  };
}

/**
 * Takes a request whose body has a length, and answers. `begin` checks it before the body is read, `finish` answers the body; what they
 * throw is refused.
 */
export function takeBody(
  response: ServerResponse<IncomingMessage>,
  unfinished: UnfinishedBodies,
  { refusalFor, answered }: Pick<Intake, 'refusalFor' | 'answered'>,
  begin: () => void,
  finish: (body: Buffer) => Promise<void>,
): void {
  const { req: request } = response;
  const fail = (error: unknown): void => {
    const refusal = refusalFor(error);
    // A body without an acceptable length is not read, and its connection is closed. Other bodies are read and discarded: under overload,
    // a new connection would cost more.
    refuse(response, refusal, error instanceof Refusal && !isReadable(request));
    answered(refusal.status, refusal);
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
    begin();
    const heard = inTime((body: Buffer) => void finish(body).catch(fail));
    readBody(response, unfinished, heard, inTime(fail));
  } catch (error) {
    fail(error);
  }
}

/** The ingest route. */
function ingest(intake: Intake, unfinished: UnfinishedBodies): TakeReports {
  return (request, response) => {
    const { origin } = request.headers;
    const from: From = { url: request.url ?? '', ip: request.ip, origin, isRelayed: false };
    const finish = async (body: Buffer): Promise<void> => {
      await intake.receive(from, body);
      response.writeHead(204, HEADERS).end();
      intake.answered(204);
    };
    takeBody(response, unfinished, intake, () => intake.check(from, () => lengthOf(request)), finish);
  };
}
