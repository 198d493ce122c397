/** @module Edge runtimes, where nothing runs on after a response unless it was asked to: `waitUntil`. */

import type { Clock } from './adapters/lifecycle.ts';

/** Milliseconds that runtimes keep a request alive for; what is due later is sent with the person's next request. */
const LONGEST = 25_000;

/**
 * A clock whose timers, and the uploads that they begin, keep their request alive. A request is a start of the app:
 * give each person a storage of their own.
 *
 * @param waitUntil the request's own: `(promise) => context.waitUntil(promise)`
 * @example createTelemetry({ schema, endpoint, storage, clock: edgeClock((promise) => context.waitUntil(promise)) });
 */
export const edgeClock = (waitUntil: (promise: Promise<unknown>) => void): Clock => ({
  now: () => Date.now(),
  after: (milliseconds, run) => {
    let cancel = (): void => {};
    if (milliseconds <= LONGEST) {
      const done = new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          Promise.resolve(run()).then(
            () => resolve(),
            () => resolve(),
          );
        }, milliseconds);
        cancel = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      waitUntil(done);
    }
    return () => cancel();
  },
});
