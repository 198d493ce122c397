/** The fleet: many devices at once, in a process of their own, so that the collector's stays the collector's. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Truths } from './data.ts';
import type { Relayed } from './device.ts';

/** What a fleet is told. */
export interface Orders {
  readonly endpoint: string;
  /** How many devices report in all. */
  readonly devices: number;
  readonly seed: number;
  /** So many report at once, and the others at `perSecond`. */
  readonly atOnce: number;
  readonly perSecond: number;
  readonly relay?: Relayed | undefined;
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
  /** Its last word; rejects when the process fails or is stopped. */
  readonly done: Promise<Progress>;
  readonly stop: () => Promise<unknown>;
}

/** Starts a fleet in a process, which ends with this one. */
export function startFleet(orders: Orders, onProgress: (progress: Progress) => void): Fleet {
  const child = fork(new URL('./fleet-process.ts', import.meta.url), [JSON.stringify(orders)]);
  let latest: Progress = { devices: 0, delivered: 0, lost: {}, truths: {} };
  child.on('message', (progress: Progress) => {
    latest = progress;
    onProgress(progress);
  });
  const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]); // the last message comes before the second
  const done = ended.then(([[code]]) => {
    if (code !== 0) throw new Error(`the fleet stopped after ${latest.devices} devices`);
    return latest;
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { done, stop };
}
