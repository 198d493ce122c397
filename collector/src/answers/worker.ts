/** The estimates thread: answers each task in order, from tallies that it reads on a connection of its own. */

import { workerData } from 'node:worker_threads';
import { serve } from '../base/threads.ts';
import type { TallySource } from '../storage/store.ts';
import { openTallies } from '../storage/tallies.ts';
import { buffersOf } from './packed-answer.ts';
import { type Candidates, perform, type Task } from './tasks.ts';

/** Start data of the thread. */
export interface EstimatesData {
  readonly source: TallySource;
  readonly candidates: Candidates;
}

const { source, candidates } = workerData as EstimatesData;
const reader = openTallies(source);

serve((task: Task) => perform(task, reader, candidates), buffersOf);
