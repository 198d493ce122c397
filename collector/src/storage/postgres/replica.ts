/**
 * The administration in a database that collectors share. A collector and a command work on a replica of it in memory, which has the tables
 * of `admin.sqlite`; so everything that reads and changes them is the same for both. A change runs in one transaction, alone: it takes a
 * fresh replica, works on it, and writes the rows that differ. The tables have few rows, since only people and commands add to them.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { StoreAway } from '../../base/fault.ts';
import { emptyAdmin } from '../admin/database.ts';
import { transaction } from '../files/database.ts';
import type { PostgresSource } from '../store.ts';
import { Database, type Query } from './database.ts';
import { markLost } from './release-ledger.ts';
import { checkVersion, SCHEMA } from './tables.ts';

/** The tables, with their keys. In the database, their names begin with `admin_`. */
const TABLES = [
  { name: 'credential', key: 'name', columns: ['name', 'role', 'apps', 'per_minute', 'key', 'hash', 'created', 'revoked'] },
  { name: 'action', key: 'n', columns: ['n', 'at', 'who', 'what', 'app'] },
  { name: 'schema', key: 'schema', columns: ['schema', 'document', 'published', 'retired'] },
  { name: 'user', key: 'name', columns: ['name', 'role', 'apps'] },
  { name: 'annotation', key: 'n', columns: ['n', 'app', 'metric', 'day', 'text'] },
  { name: 'schema_log', key: 'n', columns: ['n', 'entry', 'fingerprint', 'document'] },
  { name: 'log_key', key: 'name', columns: ['name', 'secret'] },
] as const;

type Table = (typeof TABLES)[number];

/** Tables whose rows are only ever added to. */
const APPENDED: ReadonlySet<Table['name']> = new Set(['action', 'schema_log', 'log_key']);
type Row = { readonly [column: string]: SQLInputValue };

/** Milliseconds between two looks at whether a command has changed something, and after which looks that fail are told. */
const EVERY = 500;
const STALE = 30_000;

const rowsOf = (database: DatabaseSync, { name, key, columns }: Table): readonly Row[] =>
  database.prepare(`SELECT ${columns} FROM ${name} ORDER BY ${key}`).all() as unknown as readonly Row[];

function insert(database: DatabaseSync, { name, columns }: Table, rows: readonly Row[]): void {
  const put = database.prepare(`INSERT OR IGNORE INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`);
  for (const row of rows) put.run(...columns.map((column) => row[column] ?? null));
}

/** The rows of all tables in the database. */
async function readTables(query: Query): Promise<ReadonlyMap<Table, readonly Row[]>> {
  const tables = new Map<Table, readonly Row[]>();
  for (const table of TABLES) {
    const rows = await query(`SELECT ${table.columns} FROM ${SCHEMA}.admin_${table.name} ORDER BY ${table.key}`);
    tables.set(
      table,
      rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column, row[i] as SQLInputValue]))),
    );
  }
  return tables;
}

/** Writes the rows of a replica that differ from those that it was made of. Returns whether there were any. */
async function write(query: Query, table: Table, before: readonly Row[], after: readonly Row[]): Promise<boolean> {
  const { name, key, columns } = table;
  const textOf = (row: Row): string => JSON.stringify(columns.map((column) => row[column] ?? null));
  const known = new Map(before.map((row) => [row[key], textOf(row)]));
  const changed = after.filter((row) => known.get(row[key]) !== textOf(row));
  const left = new Set(after.map((row) => row[key]));
  const gone = before.filter((row) => !left.has(row[key]));
  for (const row of gone) await query(`DELETE FROM ${SCHEMA}.admin_${name} WHERE ${key} = $1`, [row[key]]);
  for (const row of changed)
    await query(
      `INSERT INTO ${SCHEMA}.admin_${name} (${columns}) VALUES (${columns.map((_, i) => `$${i + 1}`)})
        ON CONFLICT (${key}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`)}`,
      columns.map((column) => row[column] ?? null),
    );
  return changed.length + gone.length > 0;
}

/** Changes the administration in a database, in one transaction. @throws what the work throws; nothing has changed then */
export const changeAdmin = <T>(database: Database, work: (replica: DatabaseSync) => T): Promise<T> =>
  database.transaction(async (query) => {
    const [[version] = []] = await query(`SELECT version FROM ${SCHEMA}.store FOR UPDATE`);
    checkVersion(version);
    const tables = await readTables(query);
    const replica = emptyAdmin();
    try {
      for (const [table, rows] of tables) insert(replica, table, rows);
      const before = TABLES.map((table) => rowsOf(replica, table));
      const result = work(replica);
      let isChanged = false;
      for (const [i, table] of TABLES.entries()) {
        const written = await write(query, table, before[i] as readonly Row[], rowsOf(replica, table));
        isChanged ||= written;
      }
      if (isChanged) await query(`UPDATE ${SCHEMA}.store SET admin = admin + 1`);
      return result;
    } finally {
      replica.close();
    }
  });

/** Copies an administration into a database that has none yet, in a transaction of the caller's. */
export async function fillAdmin(query: Query, from: DatabaseSync): Promise<void> {
  for (const table of TABLES) await write(query, table, [], rowsOf(from, table));
}

/** A replica in memory of the administration in a folder's file, or an empty one. */
export function replicaOf(from: DatabaseSync | undefined): DatabaseSync {
  const replica = emptyAdmin();
  if (from !== undefined) for (const table of TABLES) insert(replica, table, rowsOf(from, table));
  return replica;
}

/** A replica that follows its database. */
export class AdminReplica {
  readonly database: DatabaseSync = emptyAdmin();
  /** Another number whenever the rows have changed. */
  version = 0;
  readonly #shared: Database;
  readonly #timer: NodeJS.Timeout;
  #following: Promise<void> | undefined;
  #followedAt = performance.now();
  /** The last entry of the ledger of releases. */
  #lastEntry = 0;

  constructor(shared: Database, onTrouble: (error: unknown) => void) {
    this.#shared = shared;
    this.#timer = setInterval(() => {
      this.follow().catch((error: unknown) => {
        // The store notices without help that the database is away. But this connection may be the only one that can't be made, for instance
        // because too many are open: then keys that were revoked would stay in force, and nobody would know.
        if (!(error instanceof StoreAway) || performance.now() > this.#followedAt + STALE) onTrouble(error);
      });
    }, EVERY).unref();
  }

  /** Takes up what has changed in the database. */
  follow(): Promise<void> {
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  /** Changes the database, and takes the change up. */
  async change<T>(work: (replica: DatabaseSync) => T): Promise<T> {
    const result = await changeAdmin(this.#shared, work);
    await this.follow();
    return result;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#following?.catch(() => undefined);
    this.database.close();
    await this.#shared.close();
  }

  async #follow(): Promise<void> {
    const { changed, lastEntry } = await this.#shared.transaction(async (query) => {
      const [[version, tables, entry] = []] = await query(
        `SELECT admin, version, (SELECT max(n) FROM ${SCHEMA}.release_entry) FROM ${SCHEMA}.store`,
      );
      checkVersion(tables);
      const changed = Number(version) === this.version ? undefined : { version: Number(version), tables: await readTables(query) };
      return { changed, lastEntry: Number(entry) };
    }, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
    this.#followedAt = performance.now();
    if (changed !== undefined) this.#takeUp(changed);
    if (lastEntry < this.#lastEntry) await this.#shared.transaction((query) => markLost(query, this.#lastEntry));
    this.#lastEntry = lastEntry;
  }

  #takeUp({ version, tables }: { readonly version: number; readonly tables: ReadonlyMap<Table, readonly Row[]> }): void {
    transaction(this.database, () => {
      for (const [table, rows] of tables) {
        if (!APPENDED.has(table.name)) this.database.exec(`DELETE FROM ${table.name}`);
        insert(this.database, table, rows);
      }
    });
    this.version = version;
  }
}

/** Opens the administration in a database that is prepared. */
export async function openReplica(source: PostgresSource, onTrouble: (error: unknown) => void): Promise<AdminReplica> {
  const replica = new AdminReplica(new Database(source, { connections: 1, isGuarded: false }), onTrouble);
  try {
    await replica.follow();
    return replica;
  } catch (error) {
    await replica.close();
    throw error;
  }
}
