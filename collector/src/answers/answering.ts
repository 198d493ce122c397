/** Services that answer questions: the thread of estimates, that of decodes, that of signs, that of arrivals, and the tables that other
 * tools read. */

import type { Logger } from 'pino';
import { packageVersion } from '../base/package-version.ts';
import { createReading } from '../release/table/reading.ts';
import type { Catalog } from '../schemas/catalog.ts';
import type { SharedDatabase } from '../storage/backend.ts';
import type { Store } from '../storage/store.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { type Crowds, createCrowds } from './crowds.ts';
import { createDecoding, type Decoding } from './decode-thread.ts';
import { createEstimating, type Estimating } from './estimates-thread.ts';
import { SharedDecodes } from './shared-decodes.ts';
import { keepViews } from './views/views.ts';
import { createWatching, type Watching } from './watching.ts';

/** Options of answering. */
export interface AnsweringOptions {
  readonly store: Pick<Store, 'totals' | 'source'>;
  /** The database that collectors share, if there is one. */
  readonly shared: SharedDatabase | undefined;
  readonly catalogOf: () => Catalog;
  /** The strings to estimate for text metrics, by metric name. */
  readonly candidates: { readonly [metric: string]: readonly string[] };
  /** Estimates from fewer reports than this are not shown. */
  readonly minimum: number;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Answers questions. */
export interface Answering {
  readonly estimating: Estimating;
  readonly decoding: Decoding;
  readonly watching: Watching;
  readonly arrivals: Arrivals;
  readonly crowds: Crowds;
  /** The number of estimates that are being computed or wait. */
  readonly waiting: () => number;
  readonly close: () => Promise<void>;
}

/** Creates it. No thread runs until the first question. */
export function createAnswering({ store, shared, catalogOf, candidates: lists, minimum, log, now }: AnsweringOptions): Answering {
  const candidates = new Map(Object.entries(lists));
  const estimating = createEstimating({ store, candidates });
  const { totals } = estimating;
  const decodes = shared && new SharedDecodes({ source: shared.source, candidates, version: packageVersion() });
  const decoding = createDecoding({ store, totals, candidates, shared: decodes });
  const watching = createWatching({ store, totals, catalogOf, now });
  const reading = createReading(store.source);
  const arrivals = createArrivals({ reading, totals, catalogOf });
  const endViews = shared?.views
    ? keepViews({ source: shared.source, catalogOf, totals, estimating, decoding, minimum, candidates, log })
    : undefined;
  return {
    estimating,
    decoding,
    watching,
    arrivals,
    crowds: createCrowds(reading, now),
    waiting: () => estimating.waiting() + decoding.waiting(),
    close: async () => {
      await Promise.all([endViews?.(), estimating.close(), decoding.close(), watching.close(), reading.close()]);
      await decodes?.close();
    },
  };
}
