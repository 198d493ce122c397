/**
 * `/v1/relay`: the gateway of Oblivious HTTP (RFC 9458). It publishes its key configuration, opens messages that a relay brings, and hands the
 * request in them to the intake, which counts each batch once. Neither the relay's address nor its headers reach the intake.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { dayNumber, decodeRequest, encodeResponse, KEYS_TYPE, openRequest, REQUEST_TYPE, RESPONSE_TYPE } from '@murmuration/shared';
import type { RequestHandler } from 'express';
import { bodyOf, Refusal, refusal } from '../base/refusal.ts';
import { lengthOf, type UnfinishedBodies } from './body.ts';
import type { Capacity } from './capacity.ts';
import { fieldsOf } from './refuse.ts';
import type { RelayKeys } from './relay-keys.ts';
import { type Intake, REPORTS, takeBody } from './route.ts';
import { RateLimits } from './sender-limits.ts';

/** The path. */
export const RELAY = '/v1/relay';

/** Bytes of a response within a message, or a multiple: a refusal has as many as a 204. */
const STEP = 1_024;

/** Bytes of a refusal's text within a step. */
const MOST_CONTENT = 800;

/** Seconds for which a key configuration may be kept. */
const MAX_AGE = 3_600;

/**
 * Milliseconds of which the time until an answer is a multiple: only what is counted waits for the disk, and a relay that could tell would
 * know which messages were.
 */
const PACE = 100;

/** Problems with keys have a type of their own, which tells relays and devices that another configuration may help (RFC 9458, section 5.3). */
const KEY_PROBLEM = 'https://iana.org/assignments/http-problem-types#ohttp-key';

/**
 * Hears of a message of an admitted relay: opened, not opened because it is for no key in force, or refused before by the relay's limit. It
 * hears nothing of one that is refused by its size, its type or for want of room.
 */
export type Relayed = (relay: string, result: 'opened' | 'unopened' | 'limited') => void;

/** Parts of the gateway. */
export interface GatewayParts {
  readonly intake: Intake;
  readonly unfinished: UnfinishedBodies;
  readonly capacity: Capacity;
  /** The keys as they are now; undefined where there are none. */
  readonly keys: () => RelayKeys | undefined;
  readonly relayed: Relayed;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The answer to a request, as it is encapsulated. */
interface Inner {
  readonly status: number;
  readonly fields: readonly (readonly [string, string])[];
  readonly content: Uint8Array;
}

/** The handlers of the route. */
export interface Gateway {
  readonly sendKeys: RequestHandler;
  readonly takeMessage: RequestHandler;
}

/** A refusal in as many bytes as fit into one step with its fields: a list of what is expected may be long, and its length would show. */
function contentOf(reason: Refusal): Buffer {
  const content = Buffer.from(bodyOf(reason));
  const { status, code, stop } = reason;
  return content.length <= MOST_CONTENT ? content : Buffer.from(bodyOf(new Refusal(status, code, 'what the format says', 'another', stop)));
}

/** Runs a function, and resolves as it does, at a multiple of `PACE` after now. What it computes at once counts, too: a token's check. */
async function paced<T>(run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const value = await run();
  const end = begun + PACE * Math.ceil((performance.now() - begun) / PACE);
  // A timer counts from the beginning of its turn of the loop, which lies further back where more was computed in it.
  while (performance.now() < end) await wait(Math.max(1, end - performance.now()));
  return value;
}

/** Creates a gateway. */
export function createGateway({ intake, unfinished, capacity, keys, relayed, now }: GatewayParts): Gateway {
  const messages = new RateLimits();
  const keysOf = (): RelayKeys => {
    const current = keys();
    if (current === undefined) throw new Refusal(404, 'not-found', 'a collector with --relay-keys', 'one without');
    return current;
  };

  /** Counts the batch of a request that was opened, and says how that is answered. */
  const answerTo = async (request: Uint8Array): Promise<Inner> => {
    try {
      const { method, path, fields, content } = decoded(request);
      if (method !== 'POST' || !path.split('?', 1)[0]?.endsWith(REPORTS))
        throw refusal('bad-request', `POST ${REPORTS}`, `${method} ${path}`);
      const authorization = fields.find(([name]) => name === 'authorization')?.[1];
      const from = { url: path, ip: undefined, origin: undefined, isRelayed: true, authorization };
      intake.check(from, () => content.length);
      await intake.receive(from, Buffer.from(content));
      intake.answered(204);
      return { status: 204, fields: [], content: new Uint8Array() };
    } catch (error) {
      const reason = intake.refusalFor(error);
      intake.answered(reason.status, reason);
      return { status: reason.status, fields: Object.entries(fieldsOf(reason)), content: contentOf(reason) };
    }
  };

  return {
    sendKeys: (_request, response) => {
      const { published } = keysOf();
      response
        .set({
          'cache-control': `public, max-age=${MAX_AGE}`,
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
        })
        .type(KEYS_TYPE)
        .send(Buffer.from(published));
    },
    takeMessage: (request, response) => {
      let name = ''; // of the relay, once it has shown its token
      const begin = (): void => {
        const relay = keysOf().relayOf(request.headers.authorization);
        if (relay === undefined)
          throw new Refusal(401, 'unknown-relay', 'Authorization: Bearer rt_..., the token of a relay', 'none, or another');
        const type = request.headers['content-type'] ?? 'none';
        if (type.split(';', 1)[0]?.trim().toLowerCase() !== REQUEST_TYPE)
          throw new Refusal(415, 'bad-type', REQUEST_TYPE, type.slice(0, 80));
        ({ name } = relay);
        // Opening a message is most of the work, so what follows comes first.
        if (messages.isSpent(name, now(), relay.perMinute)) {
          relayed(name, 'limited');
          throw refusal('too-many', `at most ${relay.perMinute} messages a minute from this relay`, 'more; try again later');
        }
        messages.add(name, 1, now());
        capacity.check(lengthOf(request));
      };
      const answer = async (message: Buffer): Promise<void> => {
        const { pairOf } = keysOf();
        const opened = await openRequest(message, (id) => pairOf(id, dayNumber(now()))).catch((error: Error) => error.message);
        relayed(name, typeof opened === 'string' ? 'unopened' : 'opened');
        if (typeof opened === 'string') {
          intake.answered(400, new Refusal(400, 'relay-key', 'a message for a key that is in force', opened));
          response.status(400).set('cache-control', 'no-store').type('application/problem+json');
          response.send(JSON.stringify({ type: KEY_PROBLEM, title: opened }));
          return;
        }
        const sealed = await opened.sealResponse(encodeResponse(await paced(() => answerTo(opened.request)), STEP));
        response.status(200).set('cache-control', 'no-store').type(RESPONSE_TYPE).send(Buffer.from(sealed));
      };
      const finish = async (message: Buffer): Promise<void> => {
        capacity.enter(message.length);
        try {
          await answer(message);
        } finally {
          capacity.leave(message.length);
        }
      };
      takeBody(response, unfinished, intake, begin, finish);
    },
  };
}

/** The request of a message. @throws {Refusal} when it is none */
function decoded(request: Uint8Array): ReturnType<typeof decodeRequest> {
  try {
    return decodeRequest(request);
  } catch (error) {
    throw refusal('bad-request', 'a request in Binary HTTP of known length', (error as Error).message);
  }
}
