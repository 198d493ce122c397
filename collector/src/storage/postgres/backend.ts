/** The backend in a PostgreSQL database, which any number of collectors may share. */

import type { DatabaseSync } from 'node:sqlite';
import type { Shapes } from '../../schemas/catalog.ts';
import { Administration } from '../admin/administration.ts';
import type { Backend, SharedDatabase, StoreOptions } from '../backend.ts';
import type { Store } from '../store.ts';
import { withoutPassword } from './connection.ts';
import { Database } from './database.ts';
import { checkStored, prepare } from './opening.ts';
import { openPostgresStore } from './postgres.ts';
import { openPostgresLedger } from './release-ledger.ts';
import { changeAdmin, openReplica } from './replica.ts';
import { closedBeforeIn, reopenDaysIn } from './retention.ts';
import { SpillLog } from './spill/spill-log.ts';
import { withSpill } from './spill/spilling.ts';
import { STEPS } from './tables.ts';

/** Bytes that a spill may hold. */
export const MOST_SPILL: number = 2 ** 30;

/** Options of a PostgreSQL backend. */
export interface PostgresChoice {
  /**
   * A folder of this collector alone, for a database that does not answer: batches are acknowledged once they are in it, and forwarded later.
   * Default: they are asked to come again.
   */
  readonly spill?: string;
  /** Bytes of batches that the folder may hold. Default: 1 GiB. */
  readonly mostSpill?: number;
  /** True if estimates are written into tables of the database, from which other tools read them by SQL. Default: false. */
  readonly views?: boolean;
  /** True if the server may be one that loses what it has confirmed. Default: false. */
  readonly allowLoss?: boolean;
}

/** A backend that collectors share. */
export interface PostgresBackend extends Backend {
  readonly shared: SharedDatabase;
}

/** Everything in a database. @param url may hold a password, and is shown nowhere */
export function postgres(url: string, choice: PostgresChoice = {}): PostgresBackend {
  const { spill, mostSpill = MOST_SPILL, views = false, allowLoss = false } = choice;
  const source = { postgres: url };
  const inDatabase = async <T>(work: (database: DatabaseSync) => T): Promise<T> => {
    const database = new Database(source, { connections: 1, isGuarded: false });
    try {
      return await changeAdmin(database, work);
    } finally {
      await database.close();
    }
  };
  const changeExisting = async <T>(work: (database: DatabaseSync) => T): Promise<T> => {
    await checkStored(source);
    return inDatabase(work);
  };
  const openStore = async (shapes: Shapes, options: StoreOptions): Promise<Store> => {
    const all = { ...options, isLossAllowed: allowLoss };
    if (spill === undefined) return openPostgresStore(source, shapes, all);
    const log = new SpillLog(spill, mostSpill);
    try {
      return withSpill(await openPostgresStore(source, log.publish(shapes), all), log, options.onTrouble ?? (() => undefined));
    } catch (error) {
      log.close();
      throw error;
    }
  };
  return {
    words: {
      ...{ option: '--postgres URL', place: 'the database' },
      ...{ address: withoutPassword(url), admin: 'keys, tokens and published schemas' },
    },
    admin: {
      open: async (onTrouble) => {
        await prepare(source, allowLoss);
        return new Administration(await openReplica(source, onTrouble), onTrouble);
      },
      exists: () => true,
      change: async (work) => {
        // Whether the server may lose anything is for `serve` to ask, and migrating stops older collectors, which is for `serve`, too.
        await prepare(source, true, STEPS, true);
        return inDatabase(work);
      },
      changeExisting,
      read: (_since, read) => changeExisting(read),
    },
    prepare: () => prepare(source, allowLoss),
    openStore,
    free: async () => Number.POSITIVE_INFINITY,
    openLedger: () => openPostgresLedger(source),
    openExistingLedger: async () => {
      await checkStored(source);
      return openPostgresLedger(source);
    },
    mayKeepSecrets: () => true,
    mayHaveStore: () => true,
    findTallies: async () => {
      await checkStored(source);
      return source;
    },
    closedBefore: () => closedBeforeIn(source),
    reopenDays: (from) => reopenDaysIn(source, from),
    shared: { source, views },
  };
}
