/** @module Edge runtimes, where nothing runs after a response unless it was passed to `waitUntil`. */

import type { Clock } from './adapters/lifecycle.ts';

/** The time, in milliseconds, for which runtimes keep a request alive. Batches due later are sent with the person's next request. */
const LONGEST = 25_000;

/**
 * A clock whose timers, and the uploads that they start, keep their request alive. Each request is a start of the app, so give each person
 * a storage of their own.
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
