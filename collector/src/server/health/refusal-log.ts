/**
 * Logs the first refusal of each kind, and later how many there were, so that an operator sees what clients run into. A line has no address,
 * no body and no time. Nobody can fill the log: the kinds are few.
 */

import type { Logger } from 'pino';
import type { Refusal } from '../../base/refusal.ts';

/** Milliseconds between two lines about the same kind. */
const INTERVAL = 600_000;

interface Seen {
  at: number;
  count: number;
}

/** Returns the function to call for each refusal. `elapsed`: milliseconds of a clock that nobody sets. */
export function createRefusalLog(log: Logger, elapsed: () => number = () => performance.now()): (refusal: Refusal) => void {
  const kinds = new Map<string, Seen>();
  return ({ status, code, expected }) => {
    const seen = kinds.get(code) ?? { at: Number.NEGATIVE_INFINITY, count: 0 };
    kinds.set(code, seen);
    seen.count++;
    const now = elapsed();
    if (now - seen.at < INTERVAL) return;
    log.warn({ status, code, expected, times: seen.count }, 'refused; this kind is logged once in ten minutes');
    [seen.at, seen.count] = [now, 0];
  };
}
