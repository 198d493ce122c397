/** @module Lifecycles of workers and service workers: a page tells them what happens to it, a browser that it is online again. */

import { type Lifecycle, pageLifecycle } from './adapters/lifecycle.ts';

/** The message that asks for a flush, and the tag of the background sync. */
const FLUSH = 'murmuration:flush';

/** A message to a worker, or a service worker's `sync`. */
interface Told extends Event {
  readonly data?: unknown;
  readonly tag?: string;
  /** Of a service worker's events alone: keeps it alive until the promise settles. */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/**
 * In a worker or service worker: flushes when a page that called `wakeWorker` is hidden, left or shown again, and on the background
 * sync `murmuration:flush` (`registration.sync.register('murmuration:flush')`, in browsers that have it).
 *
 * @example createTelemetry({ schema, endpoint, lifecycle: workerLifecycle });
 */
export const workerLifecycle: Lifecycle = (tell) => {
  const controller = new AbortController();
  const told = (event: Told): void => {
    if (event.data !== FLUSH && event.tag !== FLUSH) return;
    const flushed = Promise.resolve(tell('flush'));
    event.waitUntil?.(flushed);
  };
  for (const event of ['message', 'sync']) addEventListener(event, told, { signal: controller.signal });
  return () => controller.abort();
};

/**
 * In a page: tells a worker, whenever the page is hidden, left, shown again or online again. Returns what stops it.
 *
 * @example wakeWorker(new Worker('/telemetry.js'));
 */
export const wakeWorker = (worker: { postMessage(message: unknown): void }, lifecycle: Lifecycle = pageLifecycle): (() => void) =>
  lifecycle(() => worker.postMessage(FLUSH));
