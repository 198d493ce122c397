/** A thread that reads a store from its `source`: answers each selection with its reports, and ends at null. */

import { parentPort, workerData } from 'node:worker_threads';
import type { Selection, TallySource } from '#collector/storage/store.ts';
import { openTallies } from '#collector/storage/tallies.ts';

const tallies = openTallies(workerData as TallySource);
parentPort?.on('message', async (selection: Selection | null) => {
  if (selection !== null) return parentPort?.postMessage([await tallies.read(selection), await tallies.totals()]);
  await tallies.close();
  parentPort?.close();
});
