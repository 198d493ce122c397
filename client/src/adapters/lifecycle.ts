/** What the runtime tells: when to send before it is too late, the time, and whether its person wants to be measured at all. */

/**
 * Calls `flush` when the app may be about to end, and when it comes back or is online again: by what happens to it, never by what
 * was recorded. Returns what stops listening. What `flush` returns settles when the flush has.
 */
export type Lifecycle = (flush: () => unknown) => () => void;

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

/** A page's lifecycle: hidden, left, shown again, online again. Nothing where there is no document. */
export const pageLifecycle: Lifecycle = (flush) => {
  if (!isPage()) return () => {};
  const controller = new AbortController();
  for (const event of ['visibilitychange', 'pagehide', 'online']) addEventListener(event, () => flush(), { signal: controller.signal });
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
