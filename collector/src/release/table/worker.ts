/** The thread that reads participation: the rows of each request, in order. */

import { workerData } from 'node:worker_threads';
import { serve } from '../../base/threads.ts';
import type { TallySource } from '../../storage/store.ts';
import { readParticipation, type WantedRows } from './participation.ts';

const source = workerData as TallySource;

serve((wanted: WantedRows) => readParticipation(source, wanted));
