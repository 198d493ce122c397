/**
 * Limits of senders: batches need a write key of their app, and both the key and the address that they come from have a limit a minute.
 * A refused batch counts as one report, so that nobody sends malformed ones for free.
 */

import { createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { refusal } from '../base/refusal.ts';
import type { Administration, WriteKey } from '../storage/admin/administration.ts';

// Rate limits by source. A source is a keyed hash of an address, kept in memory only. The key is drawn at random each day and never written
// anywhere, so after that day nobody can recover the address.

const MINUTE = 60_000;
/** Sources that are remembered at once. Beyond that, the oldest entry is dropped. */
const MOST_SOURCES = 100_000;

/** Some proxies forward the port, too, which is another for each connection: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (address: string): string => /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)?.slice(1).join('') ?? address;

/**
 * The part of an address that one sender controls: the first 64 bits of an IPv6 address, or a whole IPv4 address, including one mapped into
 * IPv6. Everything else is one sender: whoever makes up words where an address belongs gains nothing by making up many.
 */
function network(address: string): string {
  const bare = withoutPort(address);
  if (!ipaddr.isValid(bare)) return '';
  const parsed = ipaddr.process(bare);
  return (parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8) : parsed.toByteArray()).join();
}

interface Count {
  readonly minute: number;
  reports: number;
}

/** Counts reports by source. */
export class RateLimits {
  readonly #most: number;
  #day = 0;
  #key = randomBytes(32);
  readonly #counts = new Map<string, Count>();

  /** @param most reports that a source may send in a minute */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** The pseudonym of an address for the rest of this day. */
  nameOf(address: string, day: number): string {
    if (day !== this.#day) {
      this.#day = day;
      this.#key = randomBytes(32);
      this.#counts.clear();
    }
    return createHmac('sha256', this.#key).update(network(address)).digest('base64url');
  }

  /** True if a source has used up its reports for this minute. `now` is in milliseconds; a source may have a limit of its own. */
  isSpent(name: string, now: number, most: number = this.#most): boolean {
    const count = this.#counts.get(name);
    return count !== undefined && count.minute === Math.floor(now / MINUTE) && count.reports >= most;
  }

  /** Counts reports from a source. */
  add(name: string, reports: number, now: number): void {
    const minute = Math.floor(now / MINUTE);
    const count = this.#counts.get(name);
    if (count?.minute === minute) {
      count.reports += reports;
      return;
    }
    this.#counts.delete(name);
    this.#counts.set(name, { minute, reports });
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MOST_SOURCES) break;
      this.#counts.delete(oldest);
    }
  }
}

/** A sender of one batch. */
export interface Sender {
  /** @throws {Refusal} when the batch's key belongs to another app */
  readonly check: (schema: string) => void;
  /** Counts reports against the sender's limits. */
  readonly spend: (reports: number) => void;
}

/** The write key that a request names in its address, `/v1/reports?key=pk_...`. @throws {Refusal} when it names none that is in force */
function keyOf(url: string, keys: Pick<Administration, 'writeKey'>): WriteKey {
  const [, text] = /[?&]key=([^&]*)/.exec(url) ?? []; // a key has no escapes, and an address has room for 8,000 parameters
  const key = text === undefined ? undefined : keys.writeKey(text);
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
   * The sender of a batch. One that a relay passed on has no address, and its key alone has a limit.
   *
   * @param day days since 1970-01-01
   * @param now milliseconds since 1970
   * @throws {Refusal} when it has no key, or has sent all that it may for now
   */
  senderOf(request: Pick<Request, 'url' | 'ip'> & { readonly isRelayed?: boolean }, day: number, now: number): Sender {
    const key = this.#keys && keyOf(request.url, this.#keys);
    const isLimited = this.#perMinute !== undefined && request.isRelayed !== true;
    const source = isLimited ? this.#addresses.nameOf(request.ip ?? '', day) : undefined;
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
