/** What an operator sees of a collector: its counters, its readiness, and log lines about refusals. */

import { statSync } from 'node:fs';
import type { RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { Refusal } from '../../base/refusal.ts';
import type { Capacity } from '../../ingest/capacity.ts';
import type { UnfinishedBodies } from '../../ingest/unfinished-bodies.ts';
import type { Commit, Store, StoreSizes } from '../../storage/store.ts';
import { createInstruments, type Reading, type Route } from './instruments.ts';
import { createRefusalLog } from './refusal-log.ts';
import { healthRouter, type NotReady } from './router.ts';

/** The parts of a collector that are watched. */
export interface HealthParts {
  readonly capacity: Capacity;
  readonly unfinished: UnfinishedBodies;
  /** Estimates that are being computed or wait. */
  readonly estimates: () => number;
  /** Whether most batches disagree with the clock. */
  readonly isClockDoubtful: () => boolean;
  readonly store: Pick<Store, 'failed' | 'sizes' | 'isAway' | 'spilled'>;
  /** The store's file, if it is one. */
  readonly file: string | undefined;
  readonly log: Logger;
}

/** The health of a collector. */
export interface Health {
  readonly router: Router;
  /** Counts an answer, and logs the first refusal of each kind. */
  readonly answered: (route: Route, status: number, refusal?: Refusal) => void;
  /** Counts the answers of the routes after it. A refusal is told by `response.locals.refusal`. */
  readonly countReads: RequestHandler;
  readonly committed: (commit: Commit) => void;
  readonly skewed: (days: number) => void;
  /** From now on the collector is not ready, because it stops. */
  readonly stop: () => void;
}

const sizeOf = (file: string | undefined, suffix = ''): number | undefined =>
  file === undefined ? undefined : (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0);

/** Creates the counters, the log of refusals and the routes. */
export function createHealth({ capacity, unfinished, estimates, isClockDoubtful, store, file, log }: HealthParts): Health {
  let stopping = false;
  let failed = false;
  void store.failed.then(() => {
    failed = true;
  });
  // A store that fails or closes meanwhile is told by other numbers.
  const sizes = async (): Promise<StoreSizes | undefined> => store.sizes?.().catch(() => undefined);
  const reasons = (): readonly NotReady[] => [
    ...(capacity.isFull ? (['disk-full'] as const) : []),
    ...(stopping ? (['stopping'] as const) : []),
    ...(store.isAway?.() ? (['store-away'] as const) : []),
    ...((store.spilled?.() ?? 0) > 0 ? (['spilled'] as const) : []),
    ...(failed ? (['store-failed'] as const) : []),
  ];
  const readings: readonly Reading[] = [
    { name: 'murmuration_ready', help: '1 when batches can be taken', read: () => Number(reasons().length === 0) },
    {
      name: 'murmuration_clock_doubtful',
      help: "1 when most batches disagree with this machine's clock",
      read: () => Number(isClockDoubtful()),
    },
    { name: 'murmuration_queue_bytes', help: 'Bytes of requests that wait for their commit', read: () => capacity.queued },
    { name: 'murmuration_queue_limit_bytes', help: 'Bytes above which requests are refused', read: () => capacity.mostQueued },
    { name: 'murmuration_arriving_bytes', help: 'Bytes of bodies that have arrived in part', read: () => unfinished.bytes },
    {
      name: 'murmuration_disk_free_bytes',
      help: 'Free bytes of the disk that holds the store',
      read: () => (capacity.free === Number.POSITIVE_INFINITY ? undefined : capacity.free),
    },
    { name: 'murmuration_disk_reserve_bytes', help: 'Free bytes below which batches are refused', read: () => capacity.leastFree },
    { name: 'murmuration_store_bytes', help: 'Bytes of the database', read: () => sizeOf(file) },
    { name: 'murmuration_wal_bytes', help: 'Bytes of the write-ahead log', read: () => sizeOf(file, '-wal') },
    { name: 'murmuration_ids', help: 'Ids of batches whose days are still accepted', read: async () => (await sizes())?.ids },
    { name: 'murmuration_tally_rows', help: 'Rows of tallies', read: async () => (await sizes())?.rows },
    { name: 'murmuration_deltas', help: 'Rows that are not folded into the tallies yet', read: async () => (await sizes())?.deltas },
    {
      name: 'murmuration_fold_age_seconds',
      help: 'Seconds for which acknowledged batches could not be folded into the tallies',
      read: async () => (await sizes())?.foldAge,
    },
    {
      name: 'murmuration_spill_bytes',
      help: 'Bytes of batches that are acknowledged and not in the database yet',
      read: () => store.spilled?.(),
    },
    { name: 'murmuration_estimates_waiting', help: 'Estimates that are being computed or wait', read: estimates },
  ];
  const instruments = createInstruments(readings);
  const refused = createRefusalLog(log);
  const answered: Health['answered'] = (route, status, refusal) => {
    instruments.answered(route, status, refusal?.code ?? 'none');
    if (refusal !== undefined) refused(refusal);
  };
  return {
    router: healthRouter(instruments, reasons),
    answered,
    countReads: (_request, response, next) => {
      response.once('finish', () => answered('read', response.statusCode, response.locals['refusal'] as Refusal | undefined));
      next();
    },
    committed: instruments.committed,
    skewed: instruments.skewed,
    stop: () => {
      stopping = true;
    },
  };
}
