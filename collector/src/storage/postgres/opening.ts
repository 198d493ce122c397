/**
 * Prepares a database: checks that it can hold the store and that it keeps what it confirms, and brings its tables to the version of this
 * program. All steps run in one transaction, so that a database is never migrated in part, and collectors that start at once wait for each
 * other.
 */

import type { PostgresSource } from '../store.ts';
import { checkTables, createCheck, noRight } from './checks.ts';
import { connected } from './connection.ts';
import type { Query } from './database.ts';
import { isGone, lineOf, sqlState, UnfitDatabase } from './errors.ts';
import { FILLING, SCHEMA, STEPS } from './tables.ts';
import { checkUrl, withoutPassword } from './url.ts';

/** The key of the advisory lock that one migration holds. */
export const LOCK = 0x6d75726d;

const NO_DATABASE = ['3D000', '28P01', '28000', '3F000'];
const NO_RIGHT = '42501';
/** A setting in the URL's options that the server doesn't know, or a value that it doesn't take. */
const NO_SETTING = ['42704', '22023'];
/** What the driver says where the server asks for a password and there is none. */
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
    if (version > steps.length)
      throw new UnfitDatabase(
        `expected tables of version ${steps.length} or older, got version ${version}, which a newer murmuration wrote`,
      );
    if (isOnlyCreated && version > 0 && version < steps.length)
      throw new UnfitDatabase(
        `expected tables of version ${steps.length}, got version ${version}; start a collector of this version first`,
      );
    if (version < steps.length) await applySteps(query, steps, version);
    if (!isOnlyCreated) await checkTables(query);
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
      if (version !== newest) throw new UnfitDatabase(`expected a store of version ${newest}, got version ${version}`);
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
