/**
 * Sessions of people who signed in with a token. They are kept in memory only, so a restart signs everybody out. A session ends with its
 * token: it names the token, which is looked up at every request.
 */

import { randomBytes } from 'node:crypto';
import { hashOf } from '../admin/secrets.ts';

/** Milliseconds until a session ends that nobody uses, and until any session ends. */
const IDLE = 12 * 3_600_000;
export const LONGEST: number = 7 * 24 * 3_600_000;
/** Sessions at once. Beyond that, the oldest ends. */
const MOST = 10_000;

interface Session {
  readonly token: string;
  readonly begun: number;
  used: number;
}

const nameOf = (id: string): string => hashOf(id).toString('base64url');

/** The open sessions, by the hash of their id. */
export class Sessions {
  readonly #open = new Map<string, Session>();

  /** Begins a session of a token, and returns its id. `now` is in milliseconds. */
  begin(token: string, now: number): string {
    const id = randomBytes(32).toString('base64url');
    this.#open.set(nameOf(id), { token, begun: now, used: now });
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MOST) break;
      this.#open.delete(oldest);
    }
    return id;
  }

  /** The name of the token with which a session began. */
  tokenOf(id: string, now: number): string | undefined {
    const name = nameOf(id);
    const session = this.#open.get(name);
    if (session === undefined) return undefined;
    if (now - session.used > IDLE || now - session.begun > LONGEST) {
      this.#open.delete(name);
      return undefined;
    }
    session.used = now;
    return session.token;
  }

  end(id: string): void {
    this.#open.delete(nameOf(id));
  }
}
