/** Reads participation in a thread of its own: many cohorts and segments take tenths of a second to add up, and ingest must not wait. */

import { Worker } from 'node:worker_threads';
import { createTaskQueue, threadFile } from '../../base/threads.ts';
import type { TallySource } from '../../storage/store.ts';
import type { Participation, WantedRows } from './participation.ts';

/** Milliseconds that a read gets when the collector stops. */
const GRACE = 2_000;

/** Reads rows. */
export interface Reading {
  readonly read: (wanted: WantedRows) => Promise<Participation>;
  /** Refuses what waits, and ends the thread. */
  readonly close: () => Promise<void>;
}

/** Creates the service. No thread runs until the first question. */
export function createReading(source: TallySource): Reading {
  const queue = createTaskQueue<WantedRows, Participation>(() => new Worker(threadFile(import.meta.url, 'worker'), { workerData: source }));
  return {
    read: (wanted) => queue.run(wanted, new AbortController().signal),
    close: () => queue.end(GRACE),
  };
}
