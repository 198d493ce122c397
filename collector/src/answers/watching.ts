/**
 * Looks for signs (signs.ts) in a thread of its own, when somebody asks. A metric is read once a day, and whenever its reports have grown by
 * a tenth of those of the days that are still open; and of it only these days. So watching costs little beside ingest.
 */

import { Worker } from 'node:worker_threads';
import { dayNumber } from '@murmuration/shared';
import { createTaskQueue, TASK_LIMITS, threadFile } from '../base/threads.ts';
import type { Catalog, PublishedMetric } from '../schemas/catalog.ts';
import type { MetricTotal, Store } from '../storage/store.ts';
import { type Looked, Rates } from './rates.ts';
import { FAMILY_LEVEL, LEAST_REPORTS, type LookOrder, type MetricLooks, openReports, type Sign, signsOf, testsOf } from './signs.ts';
import { type FreshTotals, type Totals, totalKey } from './summary.ts';

/** Milliseconds between two rounds, and those that the running look gets when the collector stops. */
const [PAUSE, GRACE] = [60_000, 2_000];

/** Milliseconds that the totals may be old which say what has grown. */
const FRESH = 1_000;

/** A metric is read again when its reports have grown by this part of those of open days, and by as many as a sign may rest on. */
const GROWTH = 0.1;

/** Options of watching. */
export interface WatchingOptions {
  readonly store: Pick<Store, 'source'>;
  readonly totals: FreshTotals;
  readonly catalogOf: () => Catalog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Watches all metrics. */
export interface Watching {
  /** All signs, the newest day first, from a round that was begun at most a minute ago, or is not done yet. */
  readonly signs: () => Promise<readonly Sign[]>;
  /** The signs of the last round that is done, of days since this one. Begins another round where it is old. Undefined before the first. */
  readonly known: (since: string) => readonly Sign[] | undefined;
  readonly close: () => Promise<void>;
}

const keyOf = ({ app, metric }: PublishedMetric): string => `${app} ${metric}`;
const NOTHING_KNOWN: MetricLooks = { days: new Map(), versions: new Map() };

/** The totals of a metric's schemas that have reports, the oldest version first. */
const totalsOf = ({ schemas, metric }: PublishedMetric, totals: Totals): readonly MetricTotal[] =>
  schemas
    .flatMap((schema) => totals.get(totalKey(schema, metric)) ?? [])
    .sort((a, b) => Number(a.schema.split('/')[1]) - Number(b.schema.split('/')[1]));

/** Creates the service. No thread runs until somebody asks. */
export function createWatching({ store, totals, catalogOf, now }: WatchingOptions): Watching {
  const begin = (): Worker => new Worker(threadFile(import.meta.url, 'signs-worker'), { workerData: store.source });
  const queue = createTaskQueue<LookOrder, MetricLooks>(begin, TASK_LIMITS);
  const looks = new Map<string, Looked & { readonly today: number; readonly reports: number; readonly known: MetricLooks }>();
  const rates = new Rates();
  let round: { readonly began: number; isDone: boolean; readonly signs: Promise<readonly Sign[]> } | undefined;
  let last: readonly Sign[] | undefined;

  const lookAll = async (): Promise<readonly Sign[]> => {
    const { metrics } = catalogOf();
    const today = dayNumber(now());
    const read = await totals(FRESH);
    for (const metric of metrics) {
      const found = totalsOf(metric, read);
      const reports = found.reduce((sum, total) => sum + total.reports, 0);
      const before = looks.get(keyOf(metric));
      const grown = reports - (before?.reports ?? 0);
      const isNewDay = grown !== 0 && before?.today !== today;
      if (!isNewDay && grown < Math.max(LEAST_REPORTS, GROWTH * openReports(before?.known ?? NOTHING_KNOWN, today))) continue;
      const { app, metric: name, version, document, schemas, segments } = metric;
      const order = { metric: { app, metric: name, version, document, schemas, segments }, today, versions: found };
      const known = await queue.run({ ...order, known: before?.known ?? NOTHING_KNOWN }, new AbortController().signal);
      looks.set(keyOf(metric), { today, reports, known, versions: found });
    }
    const apps = Map.groupBy(metrics, ({ app }) => app);
    const signs = [...apps.values()].flatMap((own) => {
      const tests = testsOf(own);
      const each = own.flatMap((metric) => signsOf(metric, looks.get(keyOf(metric))?.known ?? NOTHING_KNOWN, today, tests));
      return [...each, ...rates.look(own, (metric) => looks.get(keyOf(metric)), today, FAMILY_LEVEL / tests)];
    });
    return signs.sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : a.pValue - b.pValue));
  };
  const signs = (): Promise<readonly Sign[]> => {
    // A round that takes longer than the pause is not begun a second time beside itself.
    if (round === undefined || (round.isDone && performance.now() - round.began > PAUSE)) {
      const made = { began: performance.now(), isDone: false, signs: lookAll() };
      round = made;
      made.signs.then(
        (found) => {
          made.isDone = true;
          last = found;
        },
        () => {
          if (round === made) round = undefined;
        },
      );
    }
    return round.signs;
  };
  return {
    signs,
    known: (since) => {
      signs().catch(() => undefined); // the next round tries again
      return last?.filter(({ day }) => day >= since);
    },
    close: () => queue.end(GRACE),
  };
}
