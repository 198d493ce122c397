/** The thread that reads participation: the rows of each request, in order. */

import { parentPort, workerData } from 'node:worker_threads';
import { StoreAway, type TallySource } from '../../storage/store.ts';
import { readParticipation, type WantedRows } from './participation.ts';
import type { Reply } from './reading.ts';

const source = workerData as TallySource;

parentPort?.on('message', (wanted: WantedRows) => {
  readParticipation(source, wanted).then(
    (rows) => parentPort?.postMessage({ rows } satisfies Reply),
    (error: unknown) => parentPort?.postMessage({ error, isAway: error instanceof StoreAway } satisfies Reply),
  );
});
