/** The fleet: many devices at once, in a thread of their own, so that the collector's event loop stays the collector's. */

import { Worker } from 'node:worker_threads';
import { noTruths, type Truths } from './data.ts';

/** What a fleet is told. */
export interface Orders {
  readonly endpoint: string;
  /** How many devices report in all. */
  readonly devices: number;
  readonly seed: number;
  /** So many report at once, and the others at `perSecond`. */
  readonly atOnce: number;
  readonly perSecond: number;
}

/** How far a fleet is. */
export interface Progress {
  /** Devices whose reports all have their answer. */
  readonly devices: number;
  readonly delivered: number;
  /** Reports that did not arrive, by outcome. */
  readonly lost: { readonly [result: string]: number };
  /** Of delivered reports only. */
  readonly truths: Truths;
}

/** A fleet at work. */
export interface Fleet {
  /** Its last word; rejects when the thread fails or is stopped. */
  readonly done: Promise<Progress>;
  readonly stop: () => Promise<unknown>;
}

/** Starts a fleet in a thread. */
export function startFleet(orders: Orders, onProgress: (progress: Progress) => void): Fleet {
  const worker = new Worker(new URL('./fleet-worker.ts', import.meta.url), { workerData: orders });
  let latest: Progress = { devices: 0, delivered: 0, lost: {}, truths: noTruths() };
  worker.on('message', (progress: Progress) => {
    latest = progress;
    onProgress(progress);
  });
  const done = new Promise<Progress>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve(latest) : reject(new Error(`the fleet stopped after ${latest.devices} devices`))));
  });
  return { done, stop: () => worker.terminate() };
}
