/**
 * @module Tokens for reports through a relay: the app's own server issues one a person, metric and slot, without seeing for which report
 * (POPRF of RFC 9497, ristretto255-SHA512). The collector counts a report with a token only, so invented devices cost an account each.
 */

import {
  type Cadence,
  dayNumber,
  fromBase64url,
  type SchemaDocument,
  slotName,
  slotOf,
  TOKEN_BYTES,
  TOKEN_SCHEME,
  toBase64url,
  tokenInput,
  utf8,
} from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import type { Storage } from './adapters/storage.ts';
import type { Delivery } from './adapters/transport.ts';
import { webStorage } from './adapters/web-storage.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import { parseState } from './ledger/state.ts';
import { FETCH_PATIENCE, TOO_EARLY } from './limits.ts';
import { attempt, type Maybe } from './maybe.ts';
import type { Tokens } from './relay.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

const HOUR = 3_600_000;

/** Milliseconds for which a token is kept: its report expires before. */
const KEPT = 16 * 24 * HOUR;

/** The options of `slotTokens`. */
export interface TokenOptions {
  /** The app's schema, which says `relay: 'required'`. */
  readonly schema: { readonly document: SchemaDocument };
  /** The address of the issuer, at the app's own server. */
  readonly issuer: string;
  /**
   * The issuer's public key, as `murmuration relay tokens` prints it. It is a part of the app, and not fetched, because an issuer could use
   * one for a device alone, and would know its report by it.
   */
  readonly key: string;
  /** Headers by which the issuer knows the account, where cookies of the same origin do not say it. */
  readonly headers?: () => Maybe<{ readonly [name: string]: string }>;
  /** The `storage` of `createTelemetry`, where tokens wait beside their reports. Default: IndexedDB, as there. */
  readonly storage?: Storage;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** A batch that needs a token. */
interface Waiting {
  readonly batch: string;
  readonly day: number;
  readonly metric: string;
}

/** Tokens by the id under which their batch is sent, each with the time at which it came. */
type Kept = { readonly [id: string]: readonly [at: number, token: string] };

/** The tokens that are stored; none where the text is damaged. */
function keptIn(text: string | undefined): Kept {
  try {
    return JSON.parse(text as string);
  } catch {
    return {};
  }
}

/**
 * Gets tokens for `relayTransport({ ..., tokens })`. One is asked for when its report is due, and the report leaves an hour later at the
 * earliest, since the issuer knows who asked, and when. Nothing about a request depends on an answer.
 *
 * @throws {RangeError} when `key` is no public key
 * @example
 * const tokens = slotTokens({ schema, issuer: 'https://app.example/tokens', key: 'ZnXp…' });
 * const transport = relayTransport({ schema, relay: 'https://relay.example/notes', keys: 'ACkBACA…', tokens });
 */
export function slotTokens({ schema, issuer, key, headers, storage, now = Date.now }: TokenOptions): Tokens {
  const { app, metrics } = schema.document;
  const publicKey = fromBase64url(key);
  if (publicKey.length !== 32) throw new RangeError(`key: expected 32 bytes as base64url, got ${publicKey.length}`);
  if (process.env.NODE_ENV !== 'production' && !storage && !globalThis.indexedDB)
    throw new RangeError('storage: expected that of createTelemetry where there is no IndexedDB, got none');
  const store = storage ?? webStorage();
  const place = `murmuration:${app}:tokens`;

  /** Asks for the token of a batch. The blind follows from the batch's own id, which is never sent, so that each try sends the same. */
  const ask = async (input: Uint8Array, metric: string, every: Cadence, slot: number, batch: string): Promise<string | Delivery> => {
    const prf = ristretto255_oprf.poprf(utf8(slotName(app, metric, every, slot)));
    const seed = sha512(utf8(`blind ${batch}`));
    const { blind, blinded, tweakedKey } = prf.blind(input, publicKey, (length = 0) => seed.slice(0, length));
    const response = await fetch(issuer, {
      method: 'POST',
      body: JSON.stringify({ metric, every, slot, blinded: toBase64url(blinded) }),
      credentials: 'same-origin',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      headers: { ...(await headers?.()), 'content-type': 'application/json' },
      signal: AbortSignal.timeout?.(FETCH_PATIENCE) ?? null, // some engines have none
    });
    const text = await response.text();
    try {
      const { error, evaluated, proof } = JSON.parse(text);
      if (response.ok) {
        const output = prf.finalize(input, blind, fromBase64url(evaluated), blinded, fromBase64url(proof), tweakedKey);
        return toBase64url(output.slice(0, TOKEN_BYTES));
      }
      // Another device of the account has reported in this slot, or this one before it lost its storage: the batch ends.
      if (response.status === 409 && error === 'spent') return { status: 409, body: '{"error":"conflict"}' };
    } catch {
      // An answer of something else, or of an issuer with another key.
      if (response.ok) return { status: 403, body: '{"error":"bad-token"}' };
    }
    return { status: Math.max(400, response.status), retryAfter: Number(response.headers.get('retry-after')) };
  };

  /** The token of a batch that is sent under an id, or why there is none yet. */
  const tokenOf = async (id: string, { batch, day, metric }: Waiting): Promise<readonly [string, string][] | Delivery> => {
    const { every } = metrics[metric] ?? {};
    if (!every) return { status: TOO_EARLY }; // a metric of an older version, whose slots are not known here
    const [at, kept] = (await store.transact(place, (text) => ({ next: undefined, result: keptIn(text)[id] }))) ?? [];
    if (kept !== undefined) {
      const since = now() - (at as number);
      return since >= 0 && since < HOUR ? { status: TOO_EARLY } : [['authorization', TOKEN_SCHEME + kept]];
    }
    const token = await ask(utf8(tokenInput(id, day)), metric, every, slotOf(every, day), batch);
    if (typeof token !== 'string') return token;
    await store.transact(place, (text) => {
      const time = now();
      const fresh = Object.entries(keptIn(text)).filter(([, [came]]) => Math.abs(time - came) < KEPT);
      return { next: JSON.stringify({ ...Object.fromEntries(fresh), [id]: [time, token] }), result: undefined };
    });
    return { status: TOO_EARLY };
  };

  const outboxOf = async (): Promise<readonly QueuedBatch[]> => {
    const text = await store.transact(`murmuration:${app}`, (stored) => ({ next: undefined, result: stored }));
    return (text && parseState(text)?.outbox) || [];
  };

  let isAsking = false;
  /** Asks for the tokens of the other reports that are due, one after another. The sender tries one at a visit, which may be short. */
  const askForOthers = async (sentId: Parameters<Tokens>[1]): Promise<void> => {
    for (const { schema: wire, batch, day, reports } of await outboxOf()) {
      if (day > dayNumber(now())) continue;
      if (!(await outboxOf()).some((each) => each.batch === batch)) continue; // meanwhile sent, or the person has refused
      const id = await sentId({ schema: wire, batch });
      const answer = id ? await tokenOf(id, { batch, day, metric: reports[0]?.[0] as string }) : [];
      if ('status' in answer && answer.status !== TOO_EARLY && answer.status !== 409) return; // the issuer is away
    }
  };

  return async (batch, sentId) => {
    const waiting = { batch: batch.batch, day: dayNumber(Date.parse(batch.day)), metric: batch.reports[0]?.[0] as string };
    const answer = await tokenOf((await sentId(batch)) as string, waiting);
    if (!isAsking) {
      isAsking = true;
      void attempt(() => askForOthers(sentId)).then(() => {
        isAsking = false;
      });
    }
    return answer;
  };
}
