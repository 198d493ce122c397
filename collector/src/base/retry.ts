/**
 * Retries. p-retry 9.0.0 does not fit: it never repeats a `TypeError`, it can't pause after an attempt that does not count, and the last
 * attempt before the time is over comes early.
 */

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs work until it succeeds.
 *
 * @param pauseAfter milliseconds until the next attempt, by the error of the last; it throws what is final
 */
export async function retry<T>(work: () => Promise<T>, pauseAfter: (error: unknown) => number | Promise<number>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const pause = await pauseAfter(error);
      if (pause > 0) await sleep(pause);
    }
  }
}

/** Milliseconds for which work that has a time limit is repeated, and between two attempts. */
const PATIENCE = 10_000;
const PAUSE = 250;

/** The pauses of work that is repeated for ten seconds while its errors may pass. @throws the last error */
export function untilPatienceEnds(): (error: unknown, mayPass: boolean) => number {
  const end = performance.now() + PATIENCE;
  return (error, mayPass) => {
    if (!mayPass || performance.now() > end) throw error;
    return PAUSE;
  };
}
