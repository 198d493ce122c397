/**
 * The ledger in the database that collectors share. The row of `release_place` is locked while the ledger is read and written. It names the
 * place where the last entry was written: the server, its timeline, the database and the table. A dump that was restored, a server that
 * recovered to an earlier time and a standby that was promoted are other places. Files that were copied back are not; so each process keeps
 * the last entry that it has seen, and marks a ledger that lacks it. Collectors that never read the ledger see its length
 * (replica.ts).
 *
 * When the answer to a COMMIT is lost, the last entry of the transaction tells whether it was committed: its hash is that of no other entry.
 */

import { StoreAway, StoreFull } from '../../base/fault.ts';
import { retry, untilPatienceEnds } from '../../base/retry.ts';
import {
  type Entry,
  following,
  type Head,
  InDoubt,
  type Ledger,
  type LedgerCopy,
  type LedgerStatements,
  type LedgerTransaction,
  ledgerStatements,
  NO_ENTRY,
} from '../release-ledger.ts';
import type { PostgresSource } from '../store.ts';
import { Database, type Query } from './database.ts';
import { isRefusal } from './errors.ts';
import { checkVersion, SCHEMA } from './tables.ts';

/** The place, and the time: the clocks of collectors may differ. Asked once the ledger is locked, because the wait may be long. */
const PLACE = `SELECT (SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || '${SCHEMA}.release_entry'::regclass::oid,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** Locks the ledger. */
const LOCK = `SELECT place, version FROM ${SCHEMA}.release_place, ${SCHEMA}.store FOR UPDATE OF release_place`;

/** Prefix of the place while entries may be missing for another reason than the place. */
const IN_DOUBT = 'in doubt: ';

const statementsOf = (query: Query): LedgerStatements => ledgerStatements(query, `${SCHEMA}.`);

/** An entry that a process has seen; undefined where the ledger had none. */
type Seen = Pick<Entry, 'n' | 'hash' | 'at'> | undefined;

const hasEntry = async ({ find }: LedgerStatements, { n, hash }: Head): Promise<boolean> =>
  (await find({ n })).some((entry) => entry.hash === hash);

/** True if an entry that was seen is missing, and no admin has gone on without it. */
async function isMissing(statements: LedgerStatements, seen: Seen): Promise<boolean> {
  if (seen === undefined || (await hasEntry(statements, seen))) return false;
  const [override] = await statements.find({ kind: 'override', newest: 1 });
  return override === undefined || override.at < seen.at;
}

/** Why entries may be missing, by what the ledger says of itself. */
function doubtOf(head: Head, place: string, known: string | null): string | undefined {
  if (known === place || (known === null && head.n === 0)) return undefined;
  if (known?.startsWith(IN_DOUBT) === true) return known.slice(IN_DOUBT.length);
  return 'a ledger that was written in another place, as after a restore or a failover';
}

/** Marks a ledger that lacks an entry which it had, for all processes. */
export const markLost = (query: Query, n: number): Promise<unknown> =>
  query(`UPDATE ${SCHEMA}.release_place SET place = $1`, [
    `${IN_DOUBT}a ledger that lacks entry ${n}, which it had before, as after an older state was put back`,
  ]);

/** Writes an action as the replica does (replica.ts), so that collectors take it up. */
async function logAction(query: Query, who: string, what: string, app: string | undefined): Promise<void> {
  await query(`UPDATE ${SCHEMA}.store SET admin = admin + 1`); // locks out other changes of the administration
  await query(
    `INSERT INTO ${SCHEMA}.admin_action (n, at, who, what, app) SELECT coalesce(max(n), 0) + 1, $1, $2, $3, $4 FROM ${SCHEMA}.admin_action`,
    [new Date().toISOString(), who, what, app ?? null],
  );
}

/** Puts a ledger into a database that has none, in a transaction of the caller's. A ledger that was in doubt stays in doubt. */
export async function fillLedger(query: Query, { entries, doubt, secrets }: LedgerCopy): Promise<void> {
  const into = statementsOf(query);
  for (const entry of entries) await into.insert(entry);
  for (const secret of secrets) await into.secrets.keep(...secret);
  const [[place] = []] = await query(PLACE);
  if (doubt !== undefined || entries.length > 0)
    await query(`UPDATE ${SCHEMA}.release_place SET place = $1`, [doubt === undefined ? place : `${IN_DOUBT}${doubt}`]);
}

/** Opens the ledger in a database that is prepared. */
export function openPostgresLedger(source: PostgresSource): Ledger {
  const database = new Database(source, { connections: 1, isGuarded: false });
  let seen: Seen;

  const mark = (): Promise<void> =>
    database.transaction(async (query) => {
      await query(LOCK);
      const statements = statementsOf(query);
      if (seen !== undefined && (await isMissing(statements, seen))) await markLost(query, seen.n);
      seen = await statements.last();
    });

  const transact: Ledger['transact'] = async <T>(work: (ledger: LedgerTransaction) => Promise<T>) => {
    /** The last entry of a transaction that may have been committed, and what its work has resolved to. */
    let last: Entry | undefined;
    let done: T | undefined;
    let isMarkDue = false;
    const attempt = (): Promise<T> =>
      database.transaction(async (query) => {
        const [[known, version] = []] = await query(LOCK);
        checkVersion(version);
        const statements = statementsOf(query);
        if (last !== undefined && (await hasEntry(statements, last))) return done as T;
        last = undefined;
        isMarkDue = await isMissing(statements, seen);
        if (isMarkDue) throw new InDoubt('an entry is missing');
        const [[place, time] = []] = await query(PLACE);
        const now = Number(time);
        seen = await statements.last();
        let head: Head = seen ?? NO_ENTRY;
        let doubt = doubtOf(head, String(place), known as string | null);
        done = await work({
          now,
          ...statements,
          append: async (who, entry) => {
            if (doubt !== undefined) throw new InDoubt(doubt);
            const next = following(head, who, entry, now);
            await statements.insert(next);
            await query(`UPDATE ${SCHEMA}.release_place SET place = $1 WHERE place IS DISTINCT FROM $1`, [place]);
            last = next;
            head = next;
            return next;
          },
          log: (who, what, app) => logAction(query, who, what, app),
          head: async () => head,
          doubt: async () => doubt,
          settle: async () => {
            doubt = undefined;
          },
        });
        return done;
      });
    const pause = untilPatienceEnds();
    return retry(
      async () => {
        isMarkDue = false;
        const result = await attempt();
        seen = last ?? seen;
        return result;
      },
      async (error) => {
        if (!isMarkDue) return pause(error, last !== undefined && error instanceof StoreAway);
        await mark();
        return 0;
      },
    );
  };
  const mayPass = (error: unknown): boolean => error instanceof StoreAway || error instanceof StoreFull || isRefusal(error);
  return { transact, mayPass, close: () => database.close() };
}
