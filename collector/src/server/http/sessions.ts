/**
 * Sessions of people who signed in with a token. They are kept in memory only, so a restart signs everybody out. A session ends with its
 * token: it names the token, which is looked up at every request.
 */

import { randomBytes } from 'node:crypto';
import { dayNumber } from '@murmuration/shared';
import type { Request, Response } from 'express';
import { Refusal } from '../../base/refusal.ts';
import { RateLimits } from '../../ingest/sender-limits.ts';
import { hashOf } from '../../storage/admin/credentials.ts';

// Failed sign-ins by source. A right token always passes, whoever guesses at the same address: a proxy's, or a program's beside a scrape. Wrong
// ones are soon answered 429, which says when to try again. Tokens have 256 random bits, so what limits guessing is their length; the limit
// keeps programs with an old token from asking without end. Sessions that have ended are not counted: a browser goes on asking with one.

/** Failures of one source in a minute: more than a person makes, who pastes the wrong token. */
const MOST_FAILED = 10;
const MINUTE = 60_000;

/** The sources whose sign-ins failed in this minute; as many as `RateLimits` remembers. */
export class FailedSignIns {
  readonly #sources = new RateLimits(MOST_FAILED);

  /**
   * Looks a token up.
   *
   * @param now milliseconds since 1970
   * @param lookUp returns undefined for a token that is not valid
   * @throws {Refusal} 429 for a token that is not valid, when the source has failed too often in this minute
   */
  attempt<T>(request: Pick<Request, 'ip'>, response: Pick<Response, 'setHeader'>, now: number, lookUp: () => T | undefined): T | undefined {
    const found = lookUp();
    if (found !== undefined) return found;
    const source = this.#sources.nameOf(request.ip ?? '', dayNumber(now));
    if (this.#sources.isSpent(source, now)) {
      response.setHeader('retry-after', `${Math.ceil((MINUTE - (now % MINUTE)) / 1_000)}`);
      throw new Refusal(429, 'too-many', `at most ${MOST_FAILED} failed sign-ins a minute from one address`, 'more; try again later');
    }
    this.#sources.add(source, 1, now);
    return undefined;
  }
}

/** Milliseconds until a session ends that nobody uses, and until any session ends. */
const IDLE = 12 * 3_600_000;
export const LONGEST: number = 7 * 24 * 3_600_000;
/** Sessions of one token at once. Beyond that, the oldest of them ends. */
const MOST_SESSIONS = 1_000;

interface Session {
  readonly token: string;
  readonly begun: number;
  used: number;
}

const nameOf = (id: string): string => hashOf(id).toString('base64url');

/** The open sessions, by the hash of their id. */
export class Sessions {
  readonly #open = new Map<string, Session>();
  /** The same by token, each token's oldest first. */
  readonly #byToken = new Map<string, Set<string>>();

  /** Begins a session of a token, and returns its id. `now` is in milliseconds. */
  begin(token: string, now: number): string {
    const id = randomBytes(32).toString('base64url');
    const name = nameOf(id);
    this.#open.set(name, { token, begun: now, used: now });
    const names = this.#byToken.get(token) ?? new Set<string>();
    this.#byToken.set(token, names.add(name));
    const [oldest] = names;
    if (names.size > MOST_SESSIONS && oldest !== undefined) this.#end(oldest);
    return id;
  }

  /** The name of the token with which a session began. */
  tokenOf(id: string, now: number): string | undefined {
    const name = nameOf(id);
    const session = this.#open.get(name);
    if (session === undefined) return undefined;
    if (now - session.used > IDLE || now - session.begun > LONGEST) {
      this.#end(name);
      return undefined;
    }
    session.used = now;
    return session.token;
  }

  end(id: string): void {
    this.#end(nameOf(id));
  }

  #end(name: string): void {
    const token = this.#open.get(name)?.token ?? '';
    this.#byToken.get(token)?.delete(name);
    this.#open.delete(name);
  }
}
