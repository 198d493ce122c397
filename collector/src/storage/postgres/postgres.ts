/**
 * The store on PostgreSQL. Any number of collectors may share one: none keeps anything that another lacks. Each flushes what it has taken,
 * and looks every second for deltas to fold and days to drop.
 */

import { dayNumber } from '@murmuration/shared';
import { StoreAway } from '../../base/fault.ts';
import type { Shapes } from '../../schemas/catalog.ts';
import type { StoreOptions } from '../backend.ts';
import { batchesOf, createGroupCommit, type Group, type Partition, summaryOf } from '../group-commit.ts';
import { QUOTA_LIMITS } from '../quota.ts';
import { RETENTION } from '../retention.ts';
import type { Appended, PostgresSource, Store } from '../store.ts';
import { AppQuotas } from './admission.ts';
import { Partitions } from './batch-ids.ts';
import { Database } from './database.ts';
import { TakesNone } from './errors.ts';
import { flush } from './flush.ts';
import { FlushWatch, tryToWrite } from './flush-watch.ts';
import { Folding } from './fold.ts';
import { LogThrottle } from './log-throttle.ts';
import { createCheck, prepare } from './opening.ts';
import { openPostgresTallies } from './reader.ts';
import { retain } from './retention.ts';
import { OtherVersion } from './tables.ts';

/**
 * Flushes at a time. The second begins when the first takes so many milliseconds, as one does that waits for another collector's transaction
 * or for a distant standby, or when a whole group waits. (Measured at 256 connections: with two at any time, each has 85 batches instead of
 * 128, and the collector and the database need a third more processor time.)
 */
const LANES = { most: 2, patience: 50 };

/** Milliseconds between two looks at the deltas, between two at the days, and after one at the days that failed. */
const FOLD = 1_000;
const UPKEEP = 600_000;
const UPKEEP_AGAIN = 60_000;

/** Milliseconds for which no flush may succeed, and how many times as long a fold may be late. */
const PATIENCE = 10_000;
const FOLDS = 3;

/** Options of the store. `onTrouble` is also called when the database does not answer. */
export interface PostgresOptions extends StoreOptions {
  /** True if the server may be one that loses what it has confirmed. Default: false. */
  readonly isLossAllowed?: boolean;
  /** Milliseconds for which no flush may succeed before the database counts as away, and a third of those before folds are told to be late. Default: 10 s. */
  readonly patience?: number;
}

/** The store, and how it takes groups that were acknowledged before. */
export interface PostgresStore extends Store {
  /** Flushes a group. Resolves to the result for each batch once it is committed. */
  readonly forward: (group: Group) => Promise<readonly Appended[]>;
}

/**
 * Opens the store in a database, whose tables are created or migrated.
 *
 * @param shapes the shapes of every schema whose batches will be appended
 * @throws {UnfitDatabase} when the database can't hold the store
 */
export async function openPostgresStore(source: PostgresSource, shapes: Shapes, options: PostgresOptions = {}): Promise<PostgresStore> {
  const { onTrouble = () => undefined, onCommit, limits = {}, isLossAllowed = false, now = Date.now, patience = PATIENCE } = options;
  const retention = { ...RETENTION, ...options.retention };
  await prepare(source, isLossAllowed);
  const throttle = new LogThrottle(onTrouble);
  const database = new Database(source, {
    connections: LANES.most + 2,
    isGuarded: true,
    check: createCheck(isLossAllowed),
    onAway: (reason) => throttle.away(reason),
    onBack: () => throttle.back(),
  });
  const known = new Map(shapes);
  const partitions = new Partitions(database);
  const quotas = new AppQuotas(database, { ...QUOTA_LIMITS, ...limits });
  quotas.share(known);
  const folding = new Folding(database);
  const flushes = new FlushWatch({
    patience,
    tryToWrite: () => tryToWrite(database, partitions, dayNumber(now())),
    onStuck: (reason) => {
      if (!database.isAway) onTrouble(`no batch could be written for a while: ${reason}`);
    },
    onFree: () => onTrouble('batches can be written again'),
  });
  let isClosed = false;
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });

  let upkeepAt = 0;
  let working: Promise<unknown> = Promise.resolve();
  /** Runs background work, one piece after the other. */
  const background = <T>(work: () => Promise<T>): Promise<T> => {
    const done = working.then(work);
    working = done.catch(() => undefined);
    return done;
  };
  const foldAll = async (): Promise<void> => {
    let isChanged = true; // where a shard fails, others may have been folded
    try {
      isChanged = (await folding.fold()) > 0;
    } finally {
      if (isChanged || quotas.isStale) await quotas.refresh();
    }
  };
  const upkeep = async (): Promise<void> => {
    upkeepAt = performance.now() + UPKEEP_AGAIN;
    const reason = await partitions.dropClosed();
    if (reason !== undefined) onTrouble(`the ids of a closed day are dropped later: ${reason}`);
    await retain(database, retention);
    await quotas.refresh(true);
    if (reason === undefined) upkeepAt = performance.now() + UPKEEP;
  };
  const parts = { database, partitions, quotas, shapes: known, settle: () => background(foldAll) };
  const commit = (group: Group): Promise<readonly Appended[]> =>
    flushes
      .run(() => flush(group, parts))
      .catch((error: Error) => {
        if (error instanceof OtherVersion) fail(error);
        else if (error instanceof TakesNone) throttle.log(error.message, `the database takes no batches: ${error.message}`);
        throw error;
      });
  const { append, settle } = createGroupCommit(commit, onCommit, LANES);

  const tick = async (): Promise<void> => {
    let reason = 'somebody else has locked their shards';
    if (!database.isAway)
      await background(async () => {
        try {
          await foldAll();
          await partitions.ahead();
        } finally {
          if (performance.now() >= upkeepAt) await upkeep();
        }
      }).catch((error: Error) => {
        if (error instanceof OtherVersion) fail(error);
        else if (!(error instanceof StoreAway)) throttle.log(error.message, error.message);
        reason = error.message;
      });
    if (folding.age > FOLDS * patience && !database.isAway)
      throttle.log('late', `batches have not been folded into the tallies for ${Math.round(folding.age / 1_000)} s: ${reason}`);
    // Collectors that start at once soon look at different moments.
    if (!isClosed) timer = setTimeout(tick, FOLD * (0.5 + Math.random())).unref();
  };
  try {
    await quotas.refresh();
  } catch (error) {
    flushes.close();
    await database.close();
    throw error;
  }
  let timer = setTimeout(tick, FOLD * Math.random()).unref();

  // On connections of their own, because reads may take long.
  const reader = openPostgresTallies(source);
  const settled = async (): Promise<void> => {
    await settle();
    if (database.isAway) throw new StoreAway('the database does not answer');
  };
  return {
    append: (entry) => {
      if (isClosed) return Promise.reject(new Error('the store is closed'));
      if (database.isAway) return Promise.reject(new StoreAway('the database does not answer'));
      return flushes.isStuck ? Promise.reject(flushes.refusal) : append(entry);
    },
    forward: async (group) => {
      const start = performance.now();
      const results = await commit(group);
      const days = batchesOf(group.words).map((at) => (group.partitions[group.words[at] as number] as Partition)[1]);
      onCommit?.(summaryOf(days, results, (performance.now() - start) / 1_000));
      return results;
    },
    fold: async () => {
      await settle();
      await background(foldAll);
    },
    source,
    totals: async () => {
      await settled();
      return reader.totals();
    },
    read: async (selection) => {
      await settled();
      return reader.read(selection);
    },
    publish: async (more) => {
      for (const [schema, metrics] of more) known.set(schema, metrics);
      quotas.share(more);
    },
    expire: (day) =>
      background(async () => {
        await partitions.close(day);
        upkeepAt = 0;
        await quotas.refresh(true);
      }),
    isAway: () => database.isAway || flushes.isStuck,
    sizes: async () => ({ ...quotas.sizes, foldAge: folding.age / 1_000 }),
    failed,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      flushes.close();
      throttle.close();
      await settle();
      await working;
      await reader.close();
      await database.close();
    },
  };
}
