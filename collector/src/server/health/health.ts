/** Health of a collector: whether the process runs, whether it can take batches now, and its numbers. */

import { statSync } from 'node:fs';
import { ACCEPTED_DAYS, dayNumber, dayText } from '@murmuration/shared';
import type { RequestHandler, Router } from 'express';
import { SIGNS, type Sign } from '../../answers/signs.ts';
import type { Watching } from '../../answers/watching.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { Ingest } from '../../ingest/route.ts';
import type { Store, StoreSizes } from '../../storage/store.ts';
import { exactRouter } from '../http/routing.ts';
import type { Counts, Reading } from './counts.ts';

/** The routes, and which of them may be asked by anybody: probes have no tokens, and the answers say nothing about the data. */
export const HEALTH_ROUTES = [
  { path: '/livez', isOpen: true },
  { path: '/readyz', isOpen: true },
  { path: '/metrics', isOpen: false },
] as const;

/**
 * Reasons for which a collector can't take batches now, or must not be taken away: `reading-ids` says that a start has not read the ids of
 * today's batches yet, `spilled` that it has acknowledged batches that are not in the database yet.
 */
type NotReady = 'disk-full' | 'no-room' | 'reading-ids' | 'spilled' | 'stopping' | 'store-away' | 'store-failed';

/** Milliseconds between two looks at the sizes of the store. */
const LOOK = 1_000;

/** The parts of a collector that are watched. */
export interface HealthParts {
  readonly counts: Counts;
  readonly ingest: Pick<Ingest, 'capacity' | 'unfinished' | 'clock'>;
  /** Estimates that are being computed or wait. */
  readonly estimates: () => number;
  readonly watching: Pick<Watching, 'known'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly store: Pick<Store, 'failed' | 'sizes' | 'isAway' | 'spilled' | 'source'>;
}

/** The health of a collector. */
export interface Health {
  readonly router: Router;
  /** Counts the answers of the routes after it. A refusal is told by `response.locals.refusal`. */
  readonly countReads: RequestHandler;
  /** From now on the collector is not ready, because it stops. */
  readonly stop: () => void;
}

const sizeOf = (file: string | undefined, suffix = ''): number | undefined =>
  file === undefined ? undefined : (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0);

const SIGNS_HELP: { readonly [kind in Sign['kind']]: string } = {
  law: 'Days of a metric whose reports the law can’t have given',
  silence: 'Days on which a metric had a tenth of its usual reports or fewer',
  value: 'Numbers whose mean jumped with a version',
  rate: 'Metrics whose part of the reports jumped with a version',
};

/** Signs of days since this many days ago are counted. */
const RECENT = ACCEPTED_DAYS.before + 1;

const signReadings = (watching: HealthParts['watching'], now: () => number): readonly Reading[] =>
  SIGNS.map((kind) => ({
    name: `murmuration_signs_${kind}`,
    help: `${SIGNS_HELP[kind]}, in the last ${RECENT} days`,
    read: () => watching.known(dayText(dayNumber(now()) - RECENT))?.filter((sign) => sign.kind === kind).length,
  }));

/** Creates the routes, and adds what is watched to the counters. */
export function createHealth({ counts, ingest: { capacity, unfinished, clock }, estimates, watching, now, store }: HealthParts): Health {
  const file = 'file' in store.source ? store.source.file : undefined;
  let stopping = false;
  let failed = false;
  void store.failed.then(() => {
    failed = true;
  });
  // A store that fails or closes meanwhile is told by other numbers. It is asked once a second at most, since anybody may ask for readiness.
  let looked = { at: Number.NEGATIVE_INFINITY, sizes: Promise.resolve<StoreSizes | undefined>(undefined) };
  const sizes = (): Promise<StoreSizes | undefined> => {
    const now = performance.now();
    if (store.sizes !== undefined && now >= looked.at + LOOK) looked = { at: now, sizes: store.sizes().catch(() => undefined) };
    return looked.sizes;
  };
  const reasons = async (): Promise<readonly NotReady[]> => [
    ...(capacity.isFull ? (['disk-full'] as const) : []),
    ...((await sizes())?.isFull === true ? (['no-room'] as const) : []),
    ...((await sizes())?.unread?.includes(dayNumber(now())) ? (['reading-ids'] as const) : []),
    ...(stopping ? (['stopping'] as const) : []),
    ...(store.isAway?.() ? (['store-away'] as const) : []),
    ...((store.spilled?.() ?? 0) > 0 ? (['spilled'] as const) : []),
    ...(failed ? (['store-failed'] as const) : []),
  ];
  const readings: readonly Reading[] = [
    { name: 'murmuration_ready', help: '1 when batches can be taken', read: async () => Number((await reasons()).length === 0) },
    {
      name: 'murmuration_clock_doubtful',
      help: "1 when most batches disagree with this machine's clock",
      read: () => Number(clock.isDoubtful),
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
    {
      name: 'murmuration_ids_limit',
      help: 'Ids for which there is room, where a number bounds them',
      read: async () => (await sizes())?.mostIds,
    },
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
  counts.watch([...readings, ...signReadings(watching, now)]);
  const router = exactRouter()
    .use((_request, response, next) => {
      response.setHeader('cache-control', 'no-store');
      next();
    })
    .get('/livez', (_request, response) => void response.json({ alive: true }))
    .get('/readyz', async (_request, response) => {
      const found = await reasons();
      response.status(found.length === 0 ? 200 : 503).json({ ready: found.length === 0, reasons: found });
    })
    .get('/metrics', async (_request, response) => {
      response.type(counts.contentType).send(await counts.text());
    });
  return {
    router,
    countReads: (_request, response, next) => {
      response.once('finish', () => counts.answered('read', response.statusCode, response.locals['refusal'] as Refusal | undefined));
      next();
    },
    stop: () => {
      stopping = true;
    },
  };
}
