/**
 * Keeps the tables of estimates up to date, from which tools that read SQL take them. Every collector looks every few seconds for a metric
 * with new reports, and the one that claims it computes it. The others do nothing for it, so each list of strings is decoded once.
 */

import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { StoreAway } from '../../base/fault.ts';
import type { Catalog, PublishedMetric } from '../../schemas/catalog.ts';
import { Database } from '../../storage/postgres/database.ts';
import { whileHeld } from '../../storage/postgres/lease.ts';
import type { DayRange, PostgresSource } from '../../storage/store.ts';
import { type FreshTotals, type Totals, totalKey } from '../summary.ts';
import type { Candidates } from '../tasks.ts';
import { type About, claim, giveBack, mark, prolong, readDue, write } from './claims.ts';
import type { Estimated } from './rows.ts';
import { compute, type Services } from './rows.ts';

/** Milliseconds between two looks, between two prolongations of a claim, and between two marks of what is published. */
const LOOK = 5_000;
const PROLONG = 20_000;
const MARK = 600_000;

/** Seconds before a metric is computed again: at least so many, and so many times as long as it took. */
const LEAST_PAUSE = 60;
const PAUSE_FACTOR = 9;

/** Options of the keeper. */
export interface ViewsOptions extends Services {
  readonly source: PostgresSource;
  readonly catalogOf: () => Catalog;
  readonly totals: FreshTotals;
  readonly candidates: Candidates;
}

/** Keeper of the tables. */
export interface Keeper {
  /** Computes what is due now. Resolves to how many metrics this collector has written. */
  readonly look: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A metric without reports of its law. The rows of a former law no longer count. */
const NOTHING: Estimated = { columns: { reports: 0, from: null, to: null, outcome: 'too-few-reports', watch: 1 }, rows: [] };

/** A metric's total over the schemas of its law; undefined without reports. */
function daysOf(totals: Totals, { schemas, metric }: PublishedMetric): DayRange | undefined {
  const found = schemas.flatMap((schema) => totals.get(totalKey(schema, metric)) ?? []);
  if (found.length === 0) return undefined;
  return { from: Math.min(...found.map(({ from }) => from)), to: Math.max(...found.map(({ to }) => to)) };
}

const hashOf = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** Creates a keeper, who looks when asked to. */
export function createKeeper({ source, catalogOf, totals, candidates, ...services }: ViewsOptions): Keeper {
  const database = new Database(source, { connections: 2, isGuarded: false });
  let isClosed = false;
  let current = new AbortController();
  const lists = new Map([...candidates].map(([metric, list]) => [metric, hashOf(list)]));
  let marked: Catalog | undefined;
  let markedAt = 0;

  /** Cache key of the evidence and the settings of a metric's estimates. */
  const sourceOf = (known: Totals, { metric, document, version, about, schemas }: PublishedMetric): string => {
    const versions = schemas.map((schema) => [schema, known.get(totalKey(schema, metric))?.version]);
    return hashOf([document, version, about, versions, services.minimum, lists.get(metric)]);
  };
  const aboutOf = ({ app, metric, version, document: { type, law, epsilon }, about }: PublishedMetric): About => ({
    ...{ app, metric, version, type, mechanism: law.mechanism, epsilon },
    ...{ description: about.description, minimum: services.minimum },
  });

  /** Claims a metric, computes it and writes its rows. Returns whether it did. */
  const bring = async (metric: PublishedMetric, from: string, days: DayRange | undefined): Promise<boolean> => {
    const claimed = await claim(database, aboutOf(metric), from);
    if (claimed === undefined) return false;
    const began = performance.now();
    current = new AbortController();
    if (isClosed) current.abort();
    try {
      return await whileHeld(
        () => prolong(database, claimed),
        PROLONG,
        async () => {
          const estimated = days === undefined ? NOTHING : await compute(metric, days, services, current.signal);
          const seconds = Math.max(LEAST_PAUSE, (PAUSE_FACTOR * (performance.now() - began)) / 1_000);
          return write(database, claimed, from, estimated, seconds);
        },
      );
    } catch (error) {
      await giveBack(database, claimed, isClosed ? 0 : LEAST_PAUSE).catch(() => undefined);
      throw error;
    }
  };

  const look = async (): Promise<number> => {
    const catalog = catalogOf();
    if (marked !== catalog || performance.now() > markedAt + MARK) {
      await mark(database, catalog.metrics.map(aboutOf));
      [marked, markedAt] = [catalog, performance.now()];
    }
    const [known, due] = [await totals(LOOK), await readDue(database)];
    let written = 0;
    for (const metric of catalog.metrics) {
      const [days, before, from] = [daysOf(known, metric), due.get(`${metric.app}/${metric.metric}`), sourceOf(known, metric)];
      // Without reports and without rows, there is nothing to write.
      if (isClosed || before === undefined || before === from || (days === undefined && before === '')) continue;
      if (await bring(metric, from, days)) written++;
    }
    return written;
  };

  let looking: Promise<unknown> = Promise.resolve();
  return {
    look: () => {
      const next = looking.then(look);
      looking = next.catch(() => undefined);
      return next;
    },
    close: async () => {
      isClosed = true;
      current.abort();
      await looking;
      await database.close();
    },
  };
}

/** Looks every few seconds. Returns what ends it. */
export function keepViews(options: ViewsOptions & { readonly log: Logger }): () => Promise<void> {
  const { log } = options;
  const keeper = createKeeper(options);
  let isClosed = false;
  const tick = (): void => {
    keeper
      .look()
      .catch((error: unknown) => {
        if (!(error instanceof StoreAway) && !isClosed) log.warn({ err: error }, 'estimates for SQL are written later');
      })
      .finally(() => {
        // Collectors that start at once soon look at different moments.
        if (!isClosed) timer = setTimeout(tick, LOOK * (0.5 + Math.random())).unref();
      });
  };
  let timer = setTimeout(tick, LOOK * Math.random()).unref();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    return keeper.close();
  };
}
