/** When to send before it is too late, and the clock. Both are passed in, so that tests and other runtimes bring their own. */

/** Calls `hidden` when the page may be about to end; returns what stops listening. What `hidden` returns settles when the flush has. */
export type Lifecycle = (hidden: () => unknown) => () => void;

/** The time in milliseconds, and a timer that can be cancelled. What `run` returns settles when its work is done. */
export interface Clock {
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => unknown) => () => void;
}

/** Whether this is a page: no worker, no server. */
export const isPage = (): boolean => typeof document !== 'undefined';

/** A page's lifecycle: hidden or left. Nothing where there is no document. */
export const pageLifecycle: Lifecycle = (hidden) => {
  if (!isPage()) return () => {};
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
