/**
 * Sessions of people who signed in with a token. They are kept in memory only, so a restart signs everybody out. A session ends with its
 * token: it names the token, which is looked up at every request.
 */

import { randomBytes } from 'node:crypto';
import { hashOf } from '../../storage/admin/secrets.ts';

/** Milliseconds until a session ends that nobody uses, and until any session ends. */
const IDLE = 12 * 3_600_000;
export const LONGEST: number = 7 * 24 * 3_600_000;
/** Sessions of one token at once. Beyond that, the oldest of them ends. */
const MOST = 1_000;

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
    if (names.size > MOST && oldest !== undefined) this.#end(oldest);
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
