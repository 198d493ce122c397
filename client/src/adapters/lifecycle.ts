/** What the runtime tells: when to send before it is too late, the time, and whether its person wants to be measured at all. */

/**
 * Tells what happens to the app, never by what was recorded. `flush`: it may be about to end, or is back or online again. `leave`: its page
 * is left, and runs nothing more unless it is told `return`. Returns what stops listening. What `tell` returns settles when the flush has.
 */
export type Lifecycle = (tell: (event: 'flush' | 'leave' | 'return') => unknown) => () => void;

/** The time in milliseconds, and a timer that can be cancelled. What `run` returns settles when its work is done. */
export interface Clock {
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => unknown) => () => void;
}

/** Whether this is a page: no worker, no server. */
export const isPage = (): boolean => typeof document !== 'undefined';

/** Whether the browser says that this person does not want to be measured (Global Privacy Control). */
export const privacyControl = (): boolean =>
  !!(globalThis.navigator as { readonly globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl;

/** A page's lifecycle: hidden, shown or online again; left; and back from the back/forward cache. Nothing where there is no document. */
export const pageLifecycle: Lifecycle = (tell) => {
  if (!isPage()) return () => {};
  const controller = new AbortController();
  const { signal } = controller;
  for (const event of ['visibilitychange', 'online']) addEventListener(event, () => tell('flush'), { signal });
  addEventListener('pagehide', () => tell('leave'), { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && tell('return'), { signal });
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
