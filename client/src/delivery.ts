/** When to send, and what an answer means for the batch that was sent. */

import type { Clock } from './adapters/lifecycle.ts';

// Milliseconds: from a record to its upload at least and at most, then the longest first and the longest pause after failures.
const SOON = 1_000;
const JITTER = 4_000;
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 3_600_000;
/** The longest pause that a collector can ask for. */
export const LONGEST_RETRY_AFTER = 86_400_000;

/** From a record to its upload; `uniform` draws a whole number below n. */
export const soon = (uniform: (n: number) => number): number => SOON + uniform(JITTER);

/** The longest pause after so many failures: the pause itself is uniform below it ("full jitter"). */
export const longestPause = (failures: number): number => Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);

/** 2xx and every 4xx that a retry can't mend; all else keeps the batch, to be sent again as it is. */
export const isFinal = (status: number): boolean => status >= 200 && status < 500 && ![408, 425, 429].includes(status);

/** One timer: a second start while it runs is none. */
export function createTimer(
  clock: Clock,
  run: () => unknown,
): { readonly start: (milliseconds: number) => void; readonly cancel: () => void } {
  let stop: (() => void) | undefined;
  return {
    start: (milliseconds) => {
      stop ??= clock.after(milliseconds, () => {
        stop = undefined;
        return run();
      });
    },
    cancel: () => {
      stop?.();
      stop = undefined;
    },
  };
}
