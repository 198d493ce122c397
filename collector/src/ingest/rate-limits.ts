/**
 * Rate limits by source. A source is a keyed hash of an address, kept in memory only. The key is drawn at random each day and never written
 * anywhere, so after that day nobody can recover the address.
 */

import { createHmac, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';

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

  /** Whether a source has used up its reports for this minute. `now` is in milliseconds; a source may have a limit of its own. */
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
