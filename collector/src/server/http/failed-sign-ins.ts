/**
 * Failed sign-ins by source. Whoever sends tokens that are not valid is soon refused without a look at the token, so that guessing costs
 * time and the numbers of refusals stay readable. Tokens that are valid are not counted, and neither are sessions: a browser goes on
 * asking with one that has ended.
 */

import { dayNumber } from '@murmuration/shared';
import type { Request, Response } from 'express';
import { Refusal } from '../../base/refusal.ts';
import { RateLimits } from '../../ingest/rate-limits.ts';

/** Failures of one source in a minute: more than a person makes, who pastes the wrong token. */
const MOST = 10;
const MINUTE = 60_000;

/** The sources whose sign-ins failed in this minute; as many as `RateLimits` remembers. */
export class FailedSignIns {
  readonly #sources = new RateLimits(MOST);

  /**
   * Looks a token up, unless the source has failed too often.
   *
   * @param now milliseconds since 1970
   * @param lookUp returns undefined for a token that is not valid
   * @throws {Refusal} 429, which says when to try again
   */
  attempt<T>(request: Pick<Request, 'ip'>, response: Pick<Response, 'setHeader'>, now: number, lookUp: () => T | undefined): T | undefined {
    const source = this.#sources.nameOf(request.ip ?? '', dayNumber(now));
    if (this.#sources.isSpent(source, now)) {
      response.setHeader('retry-after', `${Math.ceil((MINUTE - (now % MINUTE)) / 1_000)}`);
      throw new Refusal(429, 'too-many', `at most ${MOST} failed sign-ins a minute from one address`, 'more; try again later');
    }
    const found = lookUp();
    if (found === undefined) this.#sources.add(source, 1, now);
    return found;
  }
}
