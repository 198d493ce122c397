/** Options of a collector, and their defaults. */

import type { SchemaDocument } from '@murmuration/shared';
import { type Logger, pino } from 'pino';
import type { Truth } from '../answers/estimates.ts';
import { MOST_ARRIVING } from '../ingest/body.ts';
import { LEAST_FREE, MOST_QUEUED } from '../ingest/capacity.ts';
import type { RelayFile } from '../ingest/relay-keys.ts';
import type { Shapes } from '../schemas/catalog.ts';
import type { Backend } from '../storage/backend.ts';
import { postgres } from '../storage/postgres/backend.ts';
import type { QuotaLimits } from '../storage/quota.ts';
import type { RetentionOptions } from '../storage/retention.ts';
import { sqlite } from '../storage/sqlite/backend.ts';
import type { Commit, Store } from '../storage/store.ts';
import { alertsAddress } from './alerts.ts';
import type { AccessOptions } from './http/access.ts';
import { TIMEOUTS, type Timeouts } from './http/server.ts';

/** Options of a collector. */
export interface CollectorOptions {
  readonly schemas: readonly SchemaDocument[];
  /** Where it stores: `sqlite(folder)`, or `postgres(url, { spill, views })`. */
  readonly storage?: Backend;
  /** The short way for `storage: sqlite(folder)`. */
  readonly data?: string;
  /** The short way for `storage: postgres(url, …)`, with the four options that follow. */
  readonly postgres?: string;
  readonly allowLoss?: boolean;
  readonly views?: boolean;
  readonly spill?: string;
  readonly mostSpill?: number;
  /** The strings to estimate for text metrics, by metric name. */
  readonly candidates?: { readonly [metric: string]: readonly string[] };
  /** Estimates from fewer reports than this are not shown, for readability. Default: 20. */
  readonly minimum?: number;
  /** For demonstrations: the true shares, shown beside the estimates. */
  readonly truth?: Truth;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly log?: Logger;
  /**
   * True if reads need no token and batches no write key. Default: false. For a collector that only this machine reaches, or whose routes
   * are guarded by the app that it is part of.
   */
  readonly open?: boolean;
  readonly access?: AccessOptions;
  /** True if reads have a listener of their own (`listenForReads`), so that `listen` takes batches only. Default: false. */
  readonly readsApart?: boolean;
  /**
   * Origins of the pages that may report, as in the `Origin` header (`https://app.example`). Default: any. Requests without an `Origin`
   * header do not come from a page and are always accepted.
   */
  readonly origins?: readonly string[];
  /**
   * Reports that one source may send in a minute. Default: no limit. A source is the address of the connection, or the one that a trusted
   * proxy names (`access.trustProxy`); for IPv6, its first 64 bits. A refused batch counts as one report. The limit is checked before a batch, not within it, so a source can exceed it by at most one batch.
   */
  readonly perMinute?: number;
  /** Reports of one metric in one batch. An honest device sends one, which is the default. */
  readonly perMetric?: number;
  /**
   * Bytes that requests may hold while they wait for their commit. Beyond that, requests are asked to retry later. Each request counts as
   * its body plus 12,000 bytes. Default: 96 MiB, which is some 8,000 small batches.
   */
  readonly mostQueued?: number;
  /**
   * Bytes of request bodies that have arrived only in part. Beyond that, the request that has been sending longest is asked to retry later.
   * Default: 96 MiB.
   */
  readonly mostArriving?: number;
  /** Bytes of the disk that stay free. Default: 256 MiB. */
  readonly leastFree?: number;
  /** Rows and bytes that each app may have in the store, and ids in all. Batches beyond are asked to retry later. Default: `ROOM`. */
  readonly room?: Partial<QuotaLimits>;
  /** For how many days tallies are kept as days, and at all. Default: `RETENTION`. */
  readonly retention?: Partial<RetentionOptions>;
  /** Returns the number of free bytes on the disk. */
  readonly free?: () => Promise<number>;
  /** The address to which new signs are posted. A password in it signs them (docs/operations.md). Default: none. */
  readonly alerts?: string;
  /** Keys of the gateway for relays, and the relays, as in the file of `serve --relay-keys` (docs/relay.md). Default: no gateway. */
  readonly relay?: RelayFile;
  readonly timeouts?: Timeouts;
  /** Opens another store than the embedded one. It calls `onCommit` after each commit; days are never closed otherwise. */
  readonly openStore?: (shapes: Shapes, onCommit: (commit: Commit) => void) => Promise<Store>;
}

/** The short ways to say where it stores. */
type Short = 'data' | 'postgres' | 'allowLoss' | 'views' | 'spill' | 'mostSpill';

/** The options that may stay open. */
type Optional = 'truth' | 'origins' | 'perMinute' | 'openStore' | 'alerts' | 'relay';

/** The options with their defaults. */
export type Settings = Required<Omit<CollectorOptions, Optional | Short>> & Pick<CollectorOptions, Optional>;

/** The backend of the options. @throws {RangeError} when there is none, or options do not go together */
function storageOf({ storage, data, postgres: url, ...choice }: CollectorOptions): Backend {
  if (storage !== undefined) return storage;
  const { views, spill, mostSpill, allowLoss } = choice;
  if (views === true && url === undefined) throw new RangeError('views: expected postgres, too, got none');
  if (data === undefined && url === undefined) throw new RangeError('data: expected the folder of the store, or postgres, got neither');
  if (spill !== undefined && url === undefined) throw new RangeError('spill: expected postgres beside it, got none');
  if (url === undefined) return sqlite(data ?? '');
  return postgres(url, {
    ...(views !== undefined && { views }),
    ...(spill !== undefined && { spill }),
    ...(mostSpill !== undefined && { mostSpill }),
    ...(allowLoss !== undefined && { allowLoss }),
  });
}

/** Fills in the defaults. @throws {RangeError} when options do not go together */
export function settingsOf(options: CollectorOptions): Settings {
  const storage = storageOf(options);
  if (options.alerts !== undefined) alertsAddress(options.alerts);
  const { candidates = {}, minimum = 20, now = Date.now, log = pino({ level: 'silent' }), open = false, access = {} } = options;
  const { readsApart = false, perMetric = 1, room = {}, retention = {}, timeouts = TIMEOUTS, free = storage.free } = options;
  const { mostQueued = MOST_QUEUED, mostArriving = MOST_ARRIVING, leastFree = LEAST_FREE } = options;
  return {
    ...options,
    storage,
    ...{ candidates, minimum, now, log, open, access, readsApart, perMetric, room, retention, timeouts },
    ...{ mostQueued, mostArriving, leastFree, free },
  };
}
