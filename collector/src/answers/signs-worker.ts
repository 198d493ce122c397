/** The thread that looks for signs: one metric after the other, from tallies that it reads on a connection of its own. */

import { workerData } from 'node:worker_threads';
import { serve } from '../base/threads.ts';
import type { TallySource } from '../storage/store.ts';
import { openTallies } from '../storage/tallies.ts';
import { type LookOrder, lookAt } from './signs.ts';

const reader = openTallies(workerData as TallySource);

serve((order: LookOrder) => lookAt(order, reader));
