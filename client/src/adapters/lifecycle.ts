/** When to send before it is too late, and the clock. Both are passed in, so that tests and other runtimes bring their own. */

/** Calls `hidden` when the page may be about to end; returns what stops listening. */
export type Lifecycle = (hidden: () => void) => () => void;

/** The time in milliseconds, and a timer that can be cancelled. */
export interface Clock {
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

/** A page's lifecycle: hidden or left. Nothing where there is no document. */
export const pageLifecycle: Lifecycle = (hidden) => {
  if (typeof document === 'undefined') return () => {};
  const controller = new AbortController();
  const left = ({ type }: Event): void => {
    if (type === 'pagehide' || document.visibilityState === 'hidden') hidden();
  };
  for (const event of ['visibilitychange', 'pagehide']) addEventListener(event, left, { signal: controller.signal });
  return () => controller.abort();
};

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
