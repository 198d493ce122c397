/** A stranger who sends valid batches that open as many rows as they can: a program of its own, with its options as JSON. */

import { closedLoop, openLoop } from '../ingest/load.ts';
import { opensRows } from './batches.ts';

/** What is sent, and for how long. */
export interface Attack {
  readonly port: number;
  readonly seconds: number;
  readonly connections: number;
  /** Reports of a batch. */
  readonly reports: number;
  /** Batches a second; as many as are answered when left out. */
  readonly pace?: number;
}

/** What came of it. */
export interface AttackResult {
  readonly acknowledged: number;
  readonly refused: number;
}

const { port, seconds, connections, reports, pace } = JSON.parse(process.argv[2] ?? '') as Attack;
const next = opensRows(reports);
const { acknowledged, refused } =
  pace === undefined ? await closedLoop(port, connections, next, seconds) : await openLoop(port, connections, next, seconds, pace);
process.send?.({ acknowledged, refused } satisfies AttackResult);
process.disconnect();
