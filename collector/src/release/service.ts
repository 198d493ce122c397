/** Releases of a running collector. The ledger is opened and threads are started by the first question that needs them. */

import { ACCEPTED_DAYS, dayNumber } from '@murmuration/shared';
import type { Backend } from '../storage/backend.ts';
import { type Ledger, lazyLedger } from '../storage/release-ledger.ts';
import { bordersOf, RETENTION, type RetentionOptions } from '../storage/retention.ts';
import type { Store } from '../storage/store.ts';
import { measuringInThread } from './measuring/thread.ts';
import { systemRandom } from './mechanisms/random.ts';
import { measuringBy } from './query/making.ts';
import { Releases } from './release.ts';
import { Streams } from './streams/streams.ts';
import type { Participation, WantedRows } from './table/participation.ts';
import { createReading } from './table/reading.ts';

/** Parts of a collector's releases. */
export interface ReleaseService {
  readonly releases: Releases;
  readonly streams: Streams;
  readonly ledger: Ledger;
  /** Deletes what a crash has left of streams that have ended. Opens the ledger only if something of streams is kept. */
  readonly tidy: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The first day that is still kept as a day when the newest report that is accepted today has come. */
function firstKept(today: number, retention: Partial<RetentionOptions>): number {
  const { rolled, kept } = bordersOf(today + ACCEPTED_DAYS.after, { ...RETENTION, ...retention });
  return Math.max(rolled, kept);
}

/** Where a collector stores, and what its clock and its retention are. */
interface ReleaseOptions {
  readonly storage: Pick<Backend, 'openLedger' | 'mayKeepSecrets'>;
  readonly retention: Partial<RetentionOptions>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Creates the service. */
export function createReleases(store: Pick<Store, 'fold' | 'source'>, options: ReleaseOptions): ReleaseService {
  const { storage, retention, now } = options;
  const ledger = lazyLedger(storage.openLedger);
  const reading = createReading(store.source);
  const measuring = measuringInThread(measuringBy(systemRandom()));
  const read = async (wanted: WantedRows): Promise<Participation> => {
    // Retention follows the days of reports. What is refused must not tell of them, so it follows the clock, which is never behind.
    const firstDay = firstKept(dayNumber(now()), retention);
    if (wanted.from < firstDay) return { rows: [], firstDay };
    await store.fold(); // so that an answer holds everything that was acknowledged
    return reading.read(wanted);
  };
  const streams = new Streams({ ledger, read, random: systemRandom(), now });
  return {
    releases: new Releases({ ledger, read, measuring, now }),
    streams,
    ledger,
    tidy: async () => {
      if (storage.mayKeepSecrets()) await streams.tidy();
    },
    close: async () => {
      await reading.close();
      await measuring.close();
      await ledger.close();
    },
  };
}
