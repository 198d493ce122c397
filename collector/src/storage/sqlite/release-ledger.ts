/** The ledger in `admin.sqlite`. A write transaction of SQLite keeps other processes out while it is read and written. */

import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StoreFull } from '../../base/fault.ts';
import { isFull, logAction, openAdminDatabase } from '../admin/database.ts';
import { TIMEOUT } from '../files/database.ts';
import {
  COLUMNS,
  conditionOf,
  type Entry,
  entryOf,
  following,
  type Head,
  InDoubt,
  type Kind,
  type Ledger,
  type LedgerTransaction,
  NO_ENTRY,
  rowOf,
  type Secrets,
  type Wanted,
} from '../release-ledger.ts';
import { checkNotMigrated, readHead, readMigration, writeHead } from './migration-mark.ts';

const select = (database: DatabaseSync, condition: string, values: readonly string[]): readonly Entry[] => {
  const statement = database.prepare(`SELECT ${COLUMNS} FROM release_entry ${condition}`);
  statement.setReturnArrays(true);
  return (statement.all(...values) as unknown as readonly (readonly unknown[])[]).map(entryOf);
};

const find = (database: DatabaseSync, wanted: Wanted): readonly Entry[] => {
  const { sql, values } = conditionOf(wanted, () => '?');
  if (wanted.newest === undefined) return select(database, `${sql} ORDER BY n`, values);
  return select(database, `${sql} ORDER BY n DESC LIMIT CAST(? AS INTEGER)`, [...values, `${wanted.newest}`]).toReversed();
};

const count = (database: DatabaseSync, wanted: Wanted): ReadonlyMap<Kind, number> => {
  const { sql, values } = conditionOf(wanted, () => '?');
  const rows = database.prepare(`SELECT kind, count(*) AS found FROM release_entry ${sql} GROUP BY kind`).all(...values);
  return new Map(rows.map(({ kind, found }) => [kind as Kind, Number(found)]));
};

const headOf = (database: DatabaseSync): Head => select(database, 'ORDER BY n DESC LIMIT 1', [])[0] ?? NO_ENTRY;

/** Why entries may be missing. */
function doubtOf(database: DatabaseSync, folder: string): string | undefined {
  const [head, known] = [headOf(database), readHead(folder)];
  const isMoved = known === 'moved' || (typeof known === 'object' && known.isMoving && readMigration(folder) === undefined);
  if (isMoved) return 'a folder whose store was moved to a database';
  if (known === 'restored') return 'a folder that was restored from a backup';
  if (known === undefined) return head.n === 0 ? undefined : 'a ledger without its release.head, as a restored backup has';
  if (head.n < known.n) return `a ledger that ends at entry ${head.n}, where entry ${known.n} was written before`;
  const hash = known.n === 0 ? '' : select(database, 'WHERE n = ?', [`${known.n}`])[0]?.hash;
  return hash === known.hash ? undefined : `a ledger whose entry ${known.n} is not the one that was written before`;
}

const secretsIn = (database: DatabaseSync, dropped: () => void): Secrets => ({
  of: async (stream) =>
    database.prepare('SELECT secret FROM release_secret WHERE stream = ?').get(stream)?.['secret'] as string | undefined,
  keep: async (stream, text) => void database.prepare('INSERT INTO release_secret VALUES (?, ?)').run(stream, text),
  drop: async (stream) => {
    const { changes } = database.prepare('DELETE FROM release_secret WHERE ?1 IS NULL OR stream = ?1').run(stream ?? null);
    if (changes > 0) dropped();
  },
  kept: async () =>
    database
      .prepare('SELECT stream FROM release_secret ORDER BY stream')
      .all()
      .map(({ stream }) => Number(stream)),
  all: async () =>
    database
      .prepare('SELECT stream, secret FROM release_secret ORDER BY stream')
      .all()
      .map(({ stream, secret }) => [Number(stream), String(secret)]),
});

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
      let doubt = doubtOf(database, folder);
      const now = Date.now();
      const result = await work({
        now,
        find: async (wanted) => find(database, wanted),
        count: async (wanted) => count(database, wanted),
        append: async (who, entry) => {
          checkNotMigrated(folder);
          if (doubt !== undefined) throw new InDoubt(doubt);
          const next = following(headOf(database), who, entry, now);
          database.prepare(`INSERT INTO release_entry (${COLUMNS}) VALUES (${COLUMNS.map(() => '?')})`).run(...rowOf(next));
          isChanged = true;
          return next;
        },
        log: async (who, what, app) => logAction(database, who, what, app),
        head: async () => headOf(database),
        doubt: async () => doubt,
        settle: async () => {
          doubt = undefined;
        },
        secrets: secretsIn(database, () => {
          isLeft = true;
        }),
      });
      database.exec('COMMIT');
      if (isChanged) note();
      if (isLeft) erase();
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw isFull(error) ? new StoreFull((error as Error).message) : error;
    }
  };
  /** Writes the head under the lock of the database, so that it never goes back. */
  const note = (): void => {
    database.exec('BEGIN IMMEDIATE');
    try {
      writeHead(folder, headOf(database));
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
