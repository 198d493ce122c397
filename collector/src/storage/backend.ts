/**
 * A backend: where a collector keeps its tallies, its administration and the ledger of releases. One value chooses it, `sqlite(folder)` or
 * `postgres(url)`. Anyone who holds one need not know which it is. What only one of them can do is on its own type.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Shapes } from '../schemas/catalog.ts';
import type { Administration } from './admin/administration.ts';
import type { QuotaLimits } from './quota.ts';
import type { Ledger } from './release-ledger.ts';
import type { RetentionOptions } from './retention.ts';
import type { Commit, PostgresSource, Store, TallySource } from './store.ts';

/** Options of every store. */
export interface StoreOptions {
  /** Called when background work on acknowledged batches fails. The work is retried, and no data on the disk is lost. */
  readonly onTrouble?: (message: string) => void;
  /** Called after each commit, before its batches are answered. */
  readonly onCommit?: (commit: Commit) => void;
  /** Limits other than the usual ones. */
  readonly limits?: Partial<QuotaLimits>;
  readonly retention?: Partial<RetentionOptions>;
  /** Milliseconds since 1970-01-01. */
  readonly now?: () => number;
}

/** The administration in a backend: write keys, tokens, roles, published schemas, annotations, the log of actions. */
interface AdminAccess {
  /** Opens it for a collector. `onTrouble` is called while it can't be read; what was read last then stays in force. */
  readonly open: (onTrouble: (error: unknown) => void) => Promise<Administration>;
  /** True if a command or a collector has used it before, as far as can be told without connecting. */
  readonly exists: () => boolean;
  /** Changes it for a command, and creates what it needs where there is nothing yet. */
  readonly change: <T>(work: (database: DatabaseSync) => T) => Promise<T>;
  /** The same, for one that has been used before. @throws {RangeError | UnfitDatabase} when it has not */
  readonly changeExisting: <T>(work: (database: DatabaseSync) => T) => Promise<T>;
  /**
   * Reads a list and changes nothing: a collector of an older version may run beside it.
   *
   * @param since the first version of a folder's file that has the list (admin/database.ts)
   */
  readonly read: <T>(since: number, read: (database: DatabaseSync) => readonly T[]) => Promise<readonly T[]>;
}

/** The words for a backend in messages. */
interface BackendWords {
  /** The option of a command that names it: `--data .data`. Never a URL. */
  readonly option: string;
  /** A folder, or `the database`. */
  readonly place: string;
  /** A folder, or a URL without its password. */
  readonly address: string;
  /** Place of the administration. */
  readonly admin: string;
}

/** A backend. */
export interface Backend {
  readonly words: BackendWords;
  readonly admin: AdminAccess;
  /** Creates or migrates what the store needs. @throws {UnfitDatabase} when it can't hold one */
  readonly prepare: () => Promise<void>;
  /** Opens the store. @param shapes the shapes of every schema whose batches will be appended */
  readonly openStore: (shapes: Shapes, options: StoreOptions) => Promise<Store>;
  /** Bytes that are free on its disk; infinite where it reports a full disk on its own. */
  readonly free: () => Promise<number>;
  /** Opens the ledger of releases. */
  readonly openLedger: () => Ledger;
  /** The same, for one that has been used before. @throws {RangeError | UnfitDatabase} when it has not */
  readonly openExistingLedger: () => Promise<Ledger>;
  /** True if it may keep secrets of streams. */
  readonly mayKeepSecrets: () => boolean;
  /** True if it may have a store, as far as can be told without connecting. */
  readonly mayHaveStore: () => boolean;
  /** Its tallies, to be opened by `openTallies`. @throws {RangeError | UnfitDatabase} when there is no store of this version */
  readonly findTallies: () => Promise<TallySource>;
  /** The day before which its store has closed all days; 0 when it has closed none. */
  readonly closedBefore: () => Promise<number>;
  /** Opens the days from this one on again that a wrong clock has closed. */
  readonly reopenDays: (from: number) => Promise<void>;
  /** Services that collectors share through it, where it is a database that any number of them may use. */
  readonly shared?: SharedDatabase;
}

/** A database that collectors share: each decode is done by one of them. */
export interface SharedDatabase {
  readonly source: PostgresSource;
  /** True if estimates are written into tables of it, from which other tools read them by SQL. */
  readonly views: boolean;
}
