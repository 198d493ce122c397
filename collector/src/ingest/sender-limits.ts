/**
 * Who may send how much: batches need a write key of their app, and both the key and the address that they come from have a limit a minute.
 * A refused batch counts as one report, so that nobody sends malformed ones for free.
 */

import type { Request } from 'express';
import { refusal } from '../base/refusal.ts';
import type { Administration, WriteKey } from '../storage/admin/administration.ts';
import { RateLimits } from './rate-limits.ts';

/** A sender of one batch. */
export interface Sender {
  /** @throws {Refusal} when the batch's key belongs to another app */
  readonly check: (schema: string) => void;
  /** Counts reports against the sender's limits. */
  readonly spend: (reports: number) => void;
}

/** The key in a request's address, `/v1/reports?key=pk_...`. */
function keyIn(url: string): string | null {
  const start = url.indexOf('?');
  return start < 0 ? null : new URLSearchParams(url.slice(start)).get('key');
}

/** The write key that a request names. @throws {Refusal} when it names none that is in force */
function keyOf(url: string, keys: Pick<Administration, 'writeKey'>): WriteKey {
  const text = keyIn(url);
  const key = text === null ? undefined : keys.writeKey(text);
  if (key === undefined) throw refusal('unknown-key', 'a write key of the app, as ?key=pk_...', text ?? 'none');
  return key;
}

/** Knows senders by their keys and addresses. */
export class SenderLimits {
  readonly #keys: Pick<Administration, 'writeKey'> | undefined;
  readonly #perMinute: number | undefined;
  readonly #addresses: RateLimits;
  readonly #byKey = new RateLimits();

  /**
   * @param keys the write keys; undefined where batches need none
   * @param perMinute reports that one address may send in a minute; undefined for no limit
   */
  constructor(keys: Pick<Administration, 'writeKey'> | undefined, perMinute: number | undefined) {
    this.#keys = keys;
    this.#perMinute = perMinute;
    this.#addresses = new RateLimits(perMinute);
  }

  /** Throws unless a request names a write key in force. */
  checkKey(url: string): void {
    if (this.#keys !== undefined) keyOf(url, this.#keys);
  }

  /**
   * The sender of a batch.
   *
   * @param day days since 1970-01-01
   * @param now milliseconds since 1970
   * @throws {Refusal} when it has no key, or has sent all that it may for now
   */
  senderOf(request: Pick<Request, 'url' | 'ip'>, day: number, now: number): Sender {
    const key = this.#keys && keyOf(request.url, this.#keys);
    const source = this.#perMinute === undefined ? undefined : this.#addresses.nameOf(request.ip ?? '', day);
    if (source !== undefined && this.#addresses.isSpent(source, now))
      throw refusal('too-many', `at most ${this.#perMinute} reports a minute`, 'more; try again later');
    if (key?.perMinute !== undefined && this.#byKey.isSpent(key.name, now, key.perMinute))
      throw refusal('too-many', `at most ${key.perMinute} reports a minute with this key`, 'more; try again later');
    return {
      check: (schema) => {
        if (key !== undefined && !schema.startsWith(`${key.app}/`))
          throw refusal('unknown-key', `a write key of the app ${schema.split('/')[0]}`, `one of ${key.app}`);
      },
      spend: (reports) => {
        if (source !== undefined) this.#addresses.add(source, reports, now);
        if (key?.perMinute !== undefined) this.#byKey.add(key.name, reports, now);
      },
    };
  }
}
