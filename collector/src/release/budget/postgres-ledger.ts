/**
 * The ledger in the database that collectors share. The row of `release_place` is locked while the ledger is read and written. It names the
 * place where the last entry was written: the server, its timeline, the database and the table. A dump that was restored, a server that
 * recovered to an earlier time and a standby that was promoted are other places.
 */

import { Database, type Query } from '../../store/postgres/database.ts';
import { SCHEMA } from '../../store/postgres/tables.ts';
import type { PostgresSource } from '../../store/store.ts';
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
  type LedgerCopy,
  NO_ENTRY,
  rowOf,
  type Secrets,
  type Wanted,
} from './ledger.ts';

const PLACE = `SELECT (SELECT system_identifier FROM pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || '${SCHEMA}.release_entry'::regclass::oid`;

const SELECT = `SELECT ${COLUMNS} FROM ${SCHEMA}.release_entry`;

async function find(query: Query, wanted: Wanted): Promise<readonly Entry[]> {
  const { sql, values } = conditionOf(wanted, (position) => `$${position}`);
  if (wanted.newest === undefined) return (await query(`${SELECT} ${sql} ORDER BY n`, values)).map(entryOf);
  const rows = await query(`${SELECT} ${sql} ORDER BY n DESC LIMIT $${values.length + 1}`, [...values, wanted.newest]);
  return rows.map(entryOf).reverse();
}

async function count(query: Query, wanted: Wanted): Promise<ReadonlyMap<Kind, number>> {
  const { sql, values } = conditionOf(wanted, (position) => `$${position}`);
  const rows = await query(`SELECT kind, count(*) FROM ${SCHEMA}.release_entry ${sql} GROUP BY kind`, values);
  return new Map(rows.map(([kind, found]) => [kind as Kind, Number(found)]));
}

const headOf = async (query: Query): Promise<Head> => {
  const [row] = await query(`${SELECT} ORDER BY n DESC LIMIT 1`);
  return row === undefined ? NO_ENTRY : entryOf(row);
};

/** Why entries may be missing. */
async function doubtOf(query: Query, place: string, known: string | null): Promise<string | undefined> {
  if (known === place || (known === null && (await headOf(query)).n === 0)) return undefined;
  return 'a ledger that was written in another place, as after a restore or a failover';
}

/** Writes an action as the replica does (admin/replica.ts), so that collectors take it up. */
async function logAction(query: Query, who: string, what: string, app: string | undefined): Promise<void> {
  await query(`UPDATE ${SCHEMA}.store SET admin = admin + 1`); // locks out other changes of the administration
  await query(
    `INSERT INTO ${SCHEMA}.admin_action (n, at, who, what, app) SELECT coalesce(max(n), 0) + 1, $1, $2, $3, $4 FROM ${SCHEMA}.admin_action`,
    [new Date().toISOString(), who, what, app ?? null],
  );
}

const insert = (query: Query, entry: Entry): Promise<unknown> =>
  query(`INSERT INTO ${SCHEMA}.release_entry (${COLUMNS}) VALUES (${COLUMNS.map((_, i) => `$${i + 1}`)})`, rowOf(entry));

const secretsIn = (query: Query): Secrets => ({
  of: async (stream) =>
    (await query(`SELECT secret FROM ${SCHEMA}.release_secret WHERE stream = $1`, [stream]))[0]?.[0] as string | undefined,
  keep: async (stream, text) => void (await query(`INSERT INTO ${SCHEMA}.release_secret VALUES ($1, $2)`, [stream, text])),
  drop: async (stream) =>
    void (await query(`DELETE FROM ${SCHEMA}.release_secret WHERE $1::bigint IS NULL OR stream = $1`, [stream ?? null])),
  kept: async () => (await query(`SELECT stream FROM ${SCHEMA}.release_secret ORDER BY stream`)).map(([stream]) => Number(stream)),
  all: async () =>
    (await query(`SELECT stream, secret FROM ${SCHEMA}.release_secret ORDER BY stream`)).map(([stream, secret]) => [
      Number(stream),
      String(secret),
    ]),
});

/** Puts a ledger into a database that has none, in a transaction of the caller's. A ledger that was in doubt stays in doubt. */
export async function fillLedger(query: Query, { entries, doubt, secrets }: LedgerCopy): Promise<void> {
  for (const entry of entries) await insert(query, entry);
  for (const secret of secrets) await secretsIn(query).keep(...secret);
  const [[place] = []] = await query(PLACE);
  if (doubt !== undefined || entries.length > 0)
    await query(`UPDATE ${SCHEMA}.release_place SET place = $1`, [doubt === undefined ? place : `in doubt: ${doubt}`]);
}

/** Opens the ledger in a database that is prepared. */
export function openPostgresLedger(source: PostgresSource): Ledger {
  const database = new Database(source, { connections: 1, isGuarded: false });
  return {
    transact: (work) =>
      database.transaction(async (query) => {
        const [[known] = []] = await query(`SELECT place FROM ${SCHEMA}.release_place FOR UPDATE`);
        const [[place] = []] = await query(PLACE);
        let doubt = await doubtOf(query, String(place), known as string | null);
        return work({
          find: (wanted) => find(query, wanted),
          count: (wanted) => count(query, wanted),
          append: async (who, entry) => {
            if (doubt !== undefined) throw new InDoubt(doubt);
            const next = following(await headOf(query), who, entry);
            await insert(query, next);
            await query(`UPDATE ${SCHEMA}.release_place SET place = $1 WHERE place IS DISTINCT FROM $1`, [place]);
            return next;
          },
          log: (who, what, app) => logAction(query, who, what, app),
          head: () => headOf(query),
          doubt: async () => doubt,
          settle: async () => {
            doubt = undefined;
          },
          secrets: secretsIn(query),
        });
      }),
    close: () => database.close(),
  };
}
