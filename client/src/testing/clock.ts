/** A clock that a test controls. */

import type { Clock } from '../adapters/lifecycle.ts';

/** A clock that stands still until it is advanced. */
export interface FakeClock extends Clock {
  /** Advances by this many milliseconds, and runs each timer that falls due at its own time. */
  readonly advance: (milliseconds: number) => void;
  /** Sets the time, back or forth, without running timers, as when a person changes the clock. */
  readonly set: (time: Date) => void;
  /** The number of waiting timers. */
  readonly timers: () => number;
}

/**
 * @example
 * const clock = fakeClock(new Date('2026-11-20'));
 * createTelemetry({ schema, endpoint, clock });
 * clock.advance(5_000);
 */
export function fakeClock(start: Date): FakeClock {
  let now = start.getTime();
  let timers: readonly { readonly at: number; readonly run: () => unknown }[] = [];
  return {
    now: () => now,
    after: (milliseconds, run) => {
      const timer = { at: now + milliseconds, run };
      timers = [...timers, timer];
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: (milliseconds) => {
      const end = now + milliseconds;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
    set: (time) => {
      now = time.getTime();
    },
    timers: () => timers.length,
  };
}
