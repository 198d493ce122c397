/** Signals of the runtime: when to send before it is too late, the time, and whether the person wants to be measured at all. */

import { attempt } from '../maybe.ts';

/**
 * Reports what happens to the app, never anything about records. `flush`: the app may be about to end, or is back or online again. `leave`:
 * its page is left and runs nothing more until `return`. Returns a function that stops listening. The result of `tell` settles when the
 * flush has.
 */
export type Lifecycle = (tell: (event: 'flush' | 'leave' | 'return') => unknown) => () => void;

/** The time in milliseconds, and a timer that can be cancelled. The result of `run` settles when its work is done. */
export interface Clock {
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => unknown) => () => void;
}

/** True if this is a page, not a worker or a server. */
export const isPage = (): boolean => typeof document !== 'undefined';

/** The part of a window that tells what frames it. */
interface Frame {
  readonly frameElement?: Element | null;
  /** Only in Chromium. */
  readonly credentialless?: boolean;
}

/**
 * True if a page of another origin frames this one, at any depth, or if its frame is `credentialless`. Browsers give such a page a storage
 * for each site that frames it, or for each time it is loaded. A worker cannot tell.
 */
export const isForeign = (): boolean =>
  !attempt(() => {
    let frame: Frame = globalThis;
    // Scripts can replace `parent`, but not `top` or `frameElement`. That of a frame in a page of another origin is null, which throws.
    while (frame.frameElement !== undefined && frame !== top) frame = (frame.frameElement as Element).ownerDocument.defaultView as Frame;
    return !(globalThis as Frame).credentialless;
  });

/** True if the browser signals that this person does not want to be measured (Global Privacy Control). */
export const privacyControl = (): boolean =>
  !!(globalThis.navigator as { readonly globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl;

/** Listens to events of a page or a worker. Returns a function that stops it. */
export function listen<E extends Event>(listeners: { readonly [event: string]: (event: E) => unknown }): () => void {
  const controller = new AbortController();
  for (const [event, told] of Object.entries(listeners))
    addEventListener(event, told as (event: Event) => unknown, { signal: controller.signal });
  return () => controller.abort();
}

/**
 * The lifecycle of a page: hidden, shown or online again; left; and back from the back/forward cache. It does nothing without a document.
 */
export const pageLifecycle: Lifecycle = (tell) =>
  isPage()
    ? listen<PageTransitionEvent>({
        visibilitychange: () => tell('flush'),
        online: () => tell('flush'),
        pagehide: () => tell('leave'),
        pageshow: ({ persisted }) => persisted && tell('return'),
      })
    : () => {};

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
