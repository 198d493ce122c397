/** @module Lifecycles of workers and service workers: a page tells them that it is hidden, a browser that it is online again. */

import { type Lifecycle, pageLifecycle } from './adapters/lifecycle.ts';

/** The message that means `hidden`, and the tag of the background sync. */
const HIDDEN = 'murmuration:hidden';

/** A message to a worker, or a service worker's `sync`. */
interface Told extends Event {
  readonly data?: unknown;
  readonly tag?: string;
  /** Of a service worker's events alone: keeps it alive until the promise settles. */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/**
 * In a worker or service worker: flushes when a page that called `wakeWorker` is hidden, and on the background sync
 * `murmuration:hidden` (`registration.sync.register('murmuration:hidden')`, in browsers that have it).
 *
 * @example createTelemetry({ schema, endpoint, storage: indexedDbStorage(), lifecycle: workerLifecycle });
 */
export const workerLifecycle: Lifecycle = (hidden) => {
  const controller = new AbortController();
  const told = (event: Told): void => {
    if (event.data !== HIDDEN && event.tag !== HIDDEN) return;
    const flushed = Promise.resolve(hidden());
    event.waitUntil?.(flushed);
  };
  for (const event of ['message', 'sync']) addEventListener(event, told, { signal: controller.signal });
  return () => controller.abort();
};

/**
 * In a page: tells a worker, whenever the page is hidden or left. Returns what stops it.
 *
 * @example wakeWorker(new Worker('/telemetry.js'));
 */
export const wakeWorker = (worker: { postMessage(message: unknown): void }, lifecycle: Lifecycle = pageLifecycle): (() => void) =>
  lifecycle(() => worker.postMessage(HIDDEN));
