/**
 * @module Lifecycles of workers and service workers: a page forwards its own events to them, and the browser reports that it is online
 * again.
 */

import { type Lifecycle, listen, pageLifecycle } from './adapters/lifecycle.ts';

/** The message that asks for a flush, and the tag of the background sync. */
const FLUSH = 'murmuration:flush';

/** A message to a worker, or a service worker's `sync`. */
interface Told extends Event {
  readonly data?: unknown;
  readonly tag?: string;
  /** Only on a service worker's events: keeps it alive until the promise settles. */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/**
 * For a worker or service worker. Flushes when a page that called `wakeWorker` is hidden, left or shown again, and on the background sync
 * `murmuration:flush` (`registration.sync.register('murmuration:flush')`, in browsers that support it).
 * A flush also reads what the person has decided in a page.
 *
 * @example createTelemetry({ schema, endpoint, lifecycle: workerLifecycle });
 */
export const workerLifecycle: Lifecycle = (tell) => {
  const told = (event: Told): void => {
    if (event.data !== FLUSH && event.tag !== FLUSH) return;
    const flushed = Promise.resolve(tell('flush'));
    event.waitUntil?.(flushed);
  };
  return listen({ message: told, sync: told });
};

/**
 * For a page. Notifies a worker whenever the page is hidden, left, shown again or online again. Returns a function that stops it.
 *
 * @example wakeWorker(new Worker('/telemetry.js'));
 */
export const wakeWorker = (worker: { postMessage(message: unknown): void }, lifecycle: Lifecycle = pageLifecycle): (() => void) =>
  lifecycle(() => worker.postMessage(FLUSH));
