/**
 * Limits by source. A source is a keyed hash of an address, in memory only, under a key that is drawn anew each day and
 * never written anywhere: when the day is over nobody can tell which address it was.
 */

import { createHmac, randomBytes } from 'node:crypto';

const MINUTE = 60_000;
/** Sources that are remembered at once; then the one that was seen first is forgotten. */
const MOST_SOURCES = 100_000;

/** The eight groups of an IPv6 address, in any of its notations (RFC 4291 section 2.2). */
function groupsOf(address: string): readonly number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_dotted, ...bytes) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail = []] = hex
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

/** The part of an address that one sender has to itself: of IPv6 the first 64 bits, but all of an IPv4 address that is mapped into it. */
function network(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  return (isMapped ? groups.slice(6) : groups.slice(0, 4)).join();
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

  /** @param most reports a source may send in a minute */
  constructor(most: number) {
    this.#most = most;
  }

  /** The name of an address for the rest of this day. */
  nameOf(address: string, day: number): string {
    if (day !== this.#day) {
      this.#day = day;
      this.#key = randomBytes(32);
      this.#counts.clear();
    }
    return createHmac('sha256', this.#key).update(network(address)).digest('base64url');
  }

  /** Whether a source has sent all that it may in this minute; `now` in milliseconds. */
  isSpent(name: string, now: number): boolean {
    const count = this.#counts.get(name);
    return count !== undefined && count.minute === Math.floor(now / MINUTE) && count.reports >= this.#most;
  }

  /** Counts reports of a source. */
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
