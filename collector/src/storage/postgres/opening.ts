/**
 * Prepares a database: checks that it can hold the store and that it keeps what it confirms, and brings its tables to the version of this
 * program. All steps run in one transaction, so that a database is never migrated in part, and collectors that start at once wait for each
 * other.
 */

import type { PostgresSource } from '../store.ts';
import { checkUrl, connected, withoutPassword } from './connection.ts';
import type { Query } from './database.ts';
import { checkWritable, isGone, lineOf, sqlState, UnfitDatabase } from './errors.ts';
import { FILLING, SCHEMA, SHARDS, STEPS } from './tables.ts';

// What a database must be, so that the store loses nothing that it has confirmed, counts nothing twice, and never stops at midnight because
// the role can't create the partition of the next day.

/** The oldest server: older ones get no fixes after November 2026, and nobody tests with them here. */
const OLDEST = 15;

/** Settings without which a confirmed transaction may be lost or torn in a crash. */
const DURABLE = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** The names of the tables that steps create. */
const tablesOf = (steps: readonly string[]): readonly string[] =>
  steps.flatMap((step) => [...step.matchAll(/CREATE TABLE murmuration\.(\w+)/g)].map(([, name]) => String(name)));

/** The words for a role that lacks rights. */
const noRight = (reason: string): string =>
  `expected a role that may create and use the tables of schema ${SCHEMA}, got one that may not: ${reason}`;

async function settingsOf(query: Query): Promise<ReadonlyMap<string, string>> {
  const names = [...DURABLE, 'server_version_num', 'server_version'];
  const rows = await query('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [names]);
  return new Map(rows.map(([name, setting]) => [String(name), String(setting)]));
}

/** Checks a server. @throws {UnfitDatabase} when it is too old, or may lose what it has confirmed, unless that is allowed */
export function checkSettings(settings: ReadonlyMap<string, string>, isLossAllowed: boolean): void {
  if (!(Number(settings.get('server_version_num')) >= OLDEST * 10_000))
    throw new UnfitDatabase(`expected PostgreSQL ${OLDEST} or later, got ${settings.get('server_version')}`);
  const off = DURABLE.filter((name) => settings.get(name) === 'off');
  if (off.length > 0 && !isLossAllowed)
    throw new UnfitDatabase(
      `expected a server that keeps what it confirms, got one with ${off.join(' and ')} off: set it to on, or say --allow-loss where reports may be lost`,
    );
}

/** Checks a connection that may lead to another server than the last one. @throws {UnfitDatabase} */
export const createCheck =
  (isLossAllowed: boolean) =>
  async (query: Query): Promise<void> => {
    checkSettings(await settingsOf(query), isLossAllowed);
    const [[isStandby, isReadOnly, encoding] = []] = await query(
      `SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), pg_encoding_to_char(encoding)
        FROM pg_database WHERE datname = current_database()`,
    );
    if (isStandby === true) throw new UnfitDatabase('expected a primary, got a standby, which takes no batches');
    checkWritable(isReadOnly);
    // Another encoding lacks letters of segments and schemas, and one such batch would spoil the flush of many others.
    if (encoding !== 'UTF8') throw new UnfitDatabase(`expected a database with the encoding UTF8, got ${encoding}`);
  };

/**
 * Checks the tables of a version and the rights of the role: it creates a partition each day, and the primary keys are what keeps a batch
 * from being counted twice.
 *
 * @throws {UnfitDatabase}
 */
async function checkTables(query: Query, tables: readonly string[]): Promise<void> {
  const [[mayCreate] = []] = await query(`SELECT has_schema_privilege('${SCHEMA}', 'CREATE')`);
  if (mayCreate !== true) throw new UnfitDatabase(noRight(`it lacks CREATE on the schema ${SCHEMA}`));
  const [[foreign] = []] = await query(
    `SELECT relname FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND NOT pg_has_role(relowner, 'USAGE')
      AND (relname = ANY($1) OR relname ~ '^batch_id_[0-9]+$') ORDER BY relname LIMIT 1`,
    [tables],
  );
  if (foreign !== undefined) throw new UnfitDatabase(noRight(`it does not own the table ${foreign}`));
  const [[keyless] = []] = await query(
    `SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS
      (SELECT 1 FROM pg_index WHERE indrelid = to_regclass('${SCHEMA}.' || name) AND indisprimary AND indisvalid) LIMIT 1`,
    [tables],
  );
  if (keyless !== undefined)
    throw new UnfitDatabase(`expected a primary key of each table, got none of ${keyless}: without it, batches may be counted twice`);
  const [[shards] = []] = await query(`SELECT count(*)::integer FROM ${SCHEMA}.shard`);
  if (shards !== SHARDS) throw new UnfitDatabase(`expected ${SHARDS} rows in the table shard, got ${shards}`);
}

/** The key of the advisory lock that one migration holds. */
export const LOCK = 0x6d75726d;

const NO_DATABASE = ['3D000', '28P01', '28000', '3F000'];
const NO_RIGHT = '42501';
/** A setting in the URL's options that the server doesn't know, or a value that it doesn't take. */
const NO_SETTING = ['42704', '22023'];
/** Message of the driver where the server asks for a password and there is none. */
const NO_PASSWORD = 'client password must be a string';
/** Somebody else has locked what is needed. */
const LOCKED = ['55P03', '57014'];
/** A table or a column that this program never created, or one that it did and somebody has dropped. */
const OTHER_TABLES = ['42P01', '42P07', '42703'];

const otherTables = (reason: string): string => `expected a schema ${SCHEMA} with the tables of murmuration and no others, got: ${reason}`;

/** The version of the tables; 0 when there are none. */
async function versionIn(query: Query): Promise<number> {
  const [[table] = []] = await query(`SELECT to_regclass('${SCHEMA}.store')`);
  if (table === null || table === undefined) return 0;
  const [[version] = []] = await query(`SELECT version FROM ${SCHEMA}.store`);
  if (typeof version !== 'number') throw new UnfitDatabase(otherTables('its table store is another one'));
  return version;
}

/** @throws {UnfitDatabase} when a store is being filled */
function checkWhole(version: number): void {
  if (version === FILLING)
    throw new UnfitDatabase('expected a whole store, got one that murmuration migrate has not filled to the end; run that command again');
}

/** @throws {UnfitDatabase} when a newer program has migrated the tables */
function checkNotNewer(version: number, newest: number): void {
  if (version > newest)
    throw new UnfitDatabase(`expected tables of version ${newest} or older, got version ${version}, which a newer murmuration wrote`);
}

/** Brings the tables to the newest version, and says that it is another one until they are filled. */
async function applySteps(query: Query, steps: readonly string[], from: number, version: number = steps.length): Promise<void> {
  const [[schema] = []] = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [SCHEMA]);
  if (schema === undefined) await query(`CREATE SCHEMA ${SCHEMA}`);
  for (const step of steps.slice(from)) await query(step);
  await query(`UPDATE ${SCHEMA}.store SET version = $1`, [version]);
}

/**
 * The limits of what changes the tables, whatever is set for the role. The server ends what waits before the driver leaves: it would go on
 * waiting, and others would queue behind it.
 */
const LIMITS = [
  `SET LOCAL lock_timeout = '10s'`,
  `SET LOCAL statement_timeout = '14s'`,
  `SET LOCAL idle_in_transaction_session_timeout = '14s'`,
];

/** Does something to the tables in one transaction, while nobody else does. */
async function alone<T>(query: Query, work: (version: number) => Promise<T>): Promise<T> {
  // Sees what was committed while it waited for the lock.
  await query(['BEGIN ISOLATION LEVEL READ COMMITTED', ...LIMITS].join('; '));
  try {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const done = await work(await versionIn(query));
    await query('COMMIT');
    return done;
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function migrate(query: Query, steps: readonly string[], isOnlyCreated: boolean): Promise<void> {
  await alone(query, async (version) => {
    checkWhole(version);
    checkNotNewer(version, steps.length);
    if (isOnlyCreated && version > 0 && version < steps.length)
      throw new UnfitDatabase(
        `expected tables of version ${steps.length}, got version ${version}; start a collector of this version first`,
      );
    if (version < steps.length) await applySteps(query, steps, version);
    if (!isOnlyCreated) await checkTables(query, tablesOf(steps));
  });
}

/**
 * Checks that a database has a store that this program can read.
 *
 * @throws {UnfitDatabase} when it has none, or one of another version
 */
export async function checkStored(source: PostgresSource, newest: number = STEPS.length): Promise<void> {
  await inOneLine(source, () =>
    connected(source, async (query) => {
      const version = await versionIn(query);
      checkWhole(version);
      if (version === 0) throw new UnfitDatabase('expected a database with a store, got one without; start a collector on it once');
      checkNotNewer(version, newest);
      if (version < newest)
        throw new UnfitDatabase(
          `expected a store of version ${newest}, got one of version ${version}, which an older murmuration wrote; start a collector of this version once`,
        );
    }),
  );
}

/** An error of the database in words, if somebody has to change something before it can work. */
function inWords(error: unknown): string | undefined {
  const line = lineOf(error);
  if (error instanceof UnfitDatabase) return line;
  if (sqlState(error) === NO_RIGHT) return noRight(line);
  if (NO_DATABASE.includes(sqlState(error))) return `expected a database and a role that exist, got: ${line}`;
  if (NO_SETTING.includes(sqlState(error))) return `expected options that the server takes, got: ${line}`;
  if (line.includes(NO_PASSWORD)) return 'expected a password, got none: set PGPASSWORD, or add a line for this role to the password file';
  if (LOCKED.includes(sqlState(error)))
    return `expected tables that no other transaction locks, as a dump or a migration does, got: ${line}; wait for it, or end it, and start again`;
  if (OTHER_TABLES.includes(sqlState(error))) return otherTables(line);
  return isGone(error) ? `expected a database that answers, got: ${line}` : undefined;
}

/** Does something with a database, and says in one line what is wrong with it. @throws {UnfitDatabase} */
async function inOneLine<T>(source: PostgresSource, work: () => Promise<T>): Promise<T> {
  checkUrl(source.postgres);
  try {
    return await work();
  } catch (error) {
    const words = inWords(error);
    throw words === undefined ? error : new UnfitDatabase(`${withoutPassword(source.postgres)}: ${words}`, { cause: error });
  }
}

/**
 * Prepares a database for the store.
 *
 * @param isLossAllowed whether the server may lose what it has confirmed
 * @param isOnlyCreated whether tables of an older version are refused, in place of being migrated
 * @throws {UnfitDatabase} when it can't hold the store; nothing in it has changed then
 */
export async function prepare(
  source: PostgresSource,
  isLossAllowed: boolean,
  steps: readonly string[] = STEPS,
  isOnlyCreated: boolean = false,
): Promise<void> {
  await inOneLine(source, () =>
    connected(source, async (query) => {
      await createCheck(isLossAllowed)(query);
      await migrate(query, steps, isOnlyCreated);
    }),
  );
}

/**
 * Prepares a database to be filled: creates the tables where there are none. No collector takes them before they are filled.
 *
 * @param create called in the same transaction after the tables were created
 * @param check called in the same transaction otherwise, with the version of the tables
 * @throws {UnfitDatabase} when it can't hold the store; nothing in it has changed then
 */
export async function prepareFilling<T>(
  source: PostgresSource,
  isLossAllowed: boolean,
  create: (query: Query) => Promise<T>,
  check: (query: Query, version: number) => Promise<T>,
): Promise<T> {
  return inOneLine(source, () =>
    connected(source, async (query) => {
      await createCheck(isLossAllowed)(query);
      return alone(query, async (version) => {
        if (version !== 0) return check(query, version);
        await applySteps(query, STEPS, 0, FILLING);
        return create(query);
      });
    }),
  );
}
