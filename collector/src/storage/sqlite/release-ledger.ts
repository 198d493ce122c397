/** The ledger in `admin.sqlite`. A write transaction of SQLite keeps other processes out while it is read and written. */

import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StoreFull } from '../../base/fault.ts';
import { isFull, logAction, openAdminDatabase } from '../admin/database.ts';
import { TIMEOUT } from '../files/database.ts';
import {
  following,
  type Head,
  InDoubt,
  type Ledger,
  type LedgerStatements,
  type LedgerTransaction,
  ledgerStatements,
  NO_ENTRY,
} from '../release-ledger.ts';
import { checkNotMigrated, readHead, readMigration, writeHead } from './migration-mark.ts';

/** The statements of the ledger. SQLite numbers its parameters `?1`. */
const statementsOf = (database: DatabaseSync, dropped: () => void): LedgerStatements =>
  ledgerStatements(
    async (sql, values = []) => {
      const statement = database.prepare(sql.replaceAll('$', '?'));
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as readonly (readonly unknown[])[];
    },
    '',
    dropped,
  );

/** Why entries may be missing. */
async function doubtOf({ find }: LedgerStatements, head: Head, folder: string): Promise<string | undefined> {
  const known = readHead(folder);
  const isMoved = known === 'moved' || (typeof known === 'object' && known.isMoving && readMigration(folder) === undefined);
  if (isMoved) return 'a folder whose store was moved to a database';
  if (known === 'restored') return 'a folder that was restored from a backup';
  if (known === undefined) return head.n === 0 ? undefined : 'a ledger without its release.head, as a restored backup has';
  if (head.n < known.n) return `a ledger that ends at entry ${head.n}, where entry ${known.n} was written before`;
  const hash = known.n === 0 ? '' : (await find({ n: known.n }))[0]?.hash;
  return hash === known.hash ? undefined : `a ledger whose entry ${known.n} is not the one that was written before`;
}

/**
 * The last work on each folder's ledger in this process. SQLite's wait for a lock stops the process, so a second connection of the same
 * process must not begin to wait for the first.
 */
const last = new Map<string, Promise<unknown>>();

/** Opens the ledger in a folder, and creates what it needs. The connection is its own. */
export function openSqliteLedger(folder: string): Ledger {
  const database = openAdminDatabase(folder);
  const name = resolve(folder);

  /** True if the write-ahead log may still hold secrets that were deleted. */
  let isLeft = false;
  const statements = statementsOf(database, () => {
    isLeft = true;
  });
  const headOf = async (): Promise<Head> => (await statements.last()) ?? NO_ENTRY;
  /** Truncates the write-ahead log. What was committed stays so if a reader or a full disk prevents that; the next transaction tries again. */
  const erase = (): void => {
    database.exec('PRAGMA busy_timeout = 0');
    try {
      isLeft = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 0;
    } catch {
      isLeft = true;
    } finally {
      database.exec(`PRAGMA busy_timeout = ${TIMEOUT}`);
    }
  };

  const run = async <T>(work: (ledger: LedgerTransaction) => Promise<T>): Promise<T> => {
    database.exec('BEGIN IMMEDIATE');
    let isChanged = false;
    try {
      let head: Head = await headOf();
      let doubt = await doubtOf(statements, head, folder);
      const now = Date.now();
      const result = await work({
        now,
        ...statements,
        append: async (who, entry) => {
          checkNotMigrated(folder);
          if (doubt !== undefined) throw new InDoubt(doubt);
          const next = following(head, who, entry, now);
          await statements.insert(next);
          isChanged = true;
          head = next;
          return next;
        },
        log: async (who, what, app) => void logAction(database, who, what, app),
        head: async () => head,
        doubt: async () => doubt,
        settle: async () => {
          doubt = undefined;
        },
      });
      database.exec('COMMIT');
      if (isChanged) await note();
      if (isLeft) erase();
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw isFull(error) ? new StoreFull((error as Error).message) : error;
    }
  };
  /** Writes the head under the lock of the database, so that it never goes back. */
  const note = async (): Promise<void> => {
    database.exec('BEGIN IMMEDIATE');
    try {
      writeHead(folder, await headOf());
    } finally {
      database.exec('ROLLBACK');
    }
  };
  return {
    transact: (work) => {
      const result = (last.get(name) ?? Promise.resolve()).then(() => run(work));
      last.set(
        name,
        result.catch(() => undefined),
      );
      return result;
    },
    mayPass: (error) => error instanceof StoreFull,
    close: async () => {
      await last.get(name);
      if (isLeft) erase();
      database.close();
    },
  };
}
