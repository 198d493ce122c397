/**
 * Checks tokens: the reports of an app that issues them are counted with a token only, which is good for one batch of one metric in one slot
 * (POPRF of RFC 9497). The same token again is the same batch again, which is counted once, so no list of spent tokens is kept.
 */

import { timingSafeEqual } from 'node:crypto';
import { dayText, type MetricDocument, slotName, slotOf, TOKEN_BYTES, TOKEN_SCHEME, tokenInput } from '@murmuration/shared';
import { ristretto255_oprf } from '@noble/curves/ed25519.js';
import { LRUCache } from 'lru-cache';
import { refusal } from '../base/refusal.ts';
import type { PackedMetric, Published } from '../schemas/catalog.ts';
import type { AcceptedBatch } from '../storage/store.ts';

/** A key of tokens in the file of `serve --relay-keys`. */
export interface TokenKey {
  readonly app: string;
  /** 32 bytes as base64url. */
  readonly secret: string;
  /** The first day of a batch, in UTC, that needs a token. */
  readonly from: string;
}

/** @throws {Refusal} unless a batch has the token that it needs. `authorization` is the field of its request. */
export type CheckToken = (batch: AcceptedBatch, published: Published, authorization: string | undefined) => void;

/** The token of an input. */
type Evaluate = (secretKey: Uint8Array, input: string) => Uint8Array;

/** Slots whose part of the computation is kept. */
const MOST_SLOTS = 1_000;

/** The scalar of a secret, and its public key. */
export function tokenPair(secret: string): { readonly secretKey: Uint8Array; readonly publicKey: Uint8Array } {
  return ristretto255_oprf.poprf(new Uint8Array()).deriveKeyPair(Buffer.from(secret, 'base64url'), Buffer.from('murmuration tokens'));
}

/** Prepares the check of a file's tokens. */
export function tokenCheck(keys: readonly TokenKey[]): CheckToken {
  const known = new Map(keys.map(({ app, secret, from }) => [app, { ...tokenPair(secret), from }]));
  const slots = new LRUCache<string, Evaluate>({ max: MOST_SLOTS });
  const evaluateIn = (name: string): Evaluate => {
    const known = slots.get(name);
    if (known !== undefined) return known;
    const prf = ristretto255_oprf.poprf(Buffer.from(name));
    const evaluate: Evaluate = (secretKey, input) => prf.evaluate(secretKey, Buffer.from(input)).subarray(0, TOKEN_BYTES);
    slots.set(name, evaluate);
    return evaluate;
  };
  return ({ id, day, reports, count }, { document: { app, metrics: documents }, metrics }, authorization = '') => {
    const key = known.get(app);
    if (key === undefined || dayText(day) < key.from) return;
    if (count !== 1) throw refusal('bad-token', 'one report beside a token', count);
    const { name } = metrics[reports[0] as number] as PackedMetric;
    const { every } = documents[name] as MetricDocument;
    const given = authorization.startsWith(TOKEN_SCHEME) ? Buffer.from(authorization.slice(TOKEN_SCHEME.length), 'base64url') : undefined;
    if (given?.length !== TOKEN_BYTES)
      throw refusal('bad-token', `Authorization: ${TOKEN_SCHEME}..., as the issuer of ${app} gives`, 'none');
    const token = evaluateIn(slotName(app, name, every, slotOf(every, day)))(key.secretKey, tokenInput(id, day));
    if (!timingSafeEqual(given, token)) throw refusal('bad-token', 'the token of this batch, metric and slot', 'another');
  };
}
