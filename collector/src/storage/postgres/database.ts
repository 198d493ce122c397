/**
 * A pool of connections to the database. Work runs in transactions, each on a connection of its own. While the database of a collector does
 * not answer, work is refused at once, and the database is tried again until it answers.
 */

import type { Pool, PoolClient } from 'pg';
import { StoreAway } from '../../base/fault.ts';
import { retry } from '../../base/retry.ts';
import type { PostgresSource } from '../store.ts';
import { settingsOf } from './connection.ts';
import { Crowded, checkWritable, isGone, lineOf, meaningOf, NoConnection, sqlState, TryAgain } from './errors.ts';
import { createRunBehind, type Query, queryOf, type RunBehind, Transaction } from './statements.ts';

export type { Query } from './statements.ts';

// Semaphore for database transactions. Only so many transactions run at a time: the driver would take a long wait for a connection for a
// database that does not answer. While no more connections can be made, fewer run, on those that there are.

/** Milliseconds for which no more connections are tried. */
const FEW = 10_000;

/** A semaphore whose limit shrinks while connections are few. */
export class Semaphore {
  readonly #usual: number;
  #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param most how many may run at a time */
  constructor(most: number) {
    this.#usual = most;
    this.#most = most;
  }

  /** Runs work when fewer than the limit run. @param check called before it waits, and whenever the wait ends; may throw */
  async take<T>(work: () => Promise<T>, check: () => void): Promise<T> {
    for (check(); this.#running >= this.#most; check()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  /** Lets no more run than there are connections, and tries after a while whether there may be more. */
  shrink(connections: number): void {
    this.#most = Math.max(1, Math.min(this.#most, connections));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#most = this.#usual;
      this.wake();
    }, FEW).unref();
  }

  /** Ends the wait of all, so that each looks again whether it may run. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** Milliseconds between two attempts while there is no answer. */
const RETRY = 250;

/** Seconds after which a connection is made again, and so is checked again: settings of the server change while it runs. */
const LIFETIME = 600;

/** The SQLSTATE of a server, a database or a role that has as many connections as it may, and milliseconds before work tries again then. */
const TOO_MANY = '53300';
const PAUSE = 20;

/** Tries of a transaction that another one gets in the way of. */
const TRIES = 5;

/**
 * First statements of every transaction. A collector that stops in the middle holds its locks for less time than others wait for them. The
 * limits are set in the transaction and not in the session, because a pooler may give each transaction another session.
 */
const LIMITS = [
  `SET LOCAL lock_timeout = '5s'`,
  `SET LOCAL statement_timeout = '14s'`,
  `SET LOCAL idle_in_transaction_session_timeout = '4s'`,
];

/** The mode of a transaction that says none, whatever is set for the database or the role. */
const READ_COMMITTED = 'ISOLATION LEVEL READ COMMITTED';

/**
 * A write that needs no table: it puts a message into the write-ahead log, so its COMMIT waits for what all commits wait for, such as a
 * synchronous standby. PostgreSQL takes it in a read-only transaction, too, so the setting is asked for. A backend that waits for a standby
 * stays when its connection is closed, so the next try ends it.
 */
const WRITE = `SELECT pg_backend_pid(), current_setting('transaction_read_only'), pg_logical_emit_message(true, 'murmuration', '')`;
const END_WRITE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'`;

/** Work of a transaction. `last` runs its last statement, and commits in the same round trip. */
type Work<T> = (query: Query, last: Query) => Promise<T>;

/** Statements do not wait for the answers to those before them. (The driver's types do not have this option yet.) */
const PIPELINE = { pipeline: true };

/** The driver, which is loaded when it is first needed. */
interface Driver {
  readonly pool: Pool;
  readonly runBehind: RunBehind;
}

/** Options of a database. */
export interface DatabaseOptions {
  readonly connections: number;
  /** True if work is refused at once while the database does not answer. Otherwise each piece of work tries for itself. */
  readonly isGuarded: boolean;
  /** Checks each new connection before it is used: it may lead to another server than the last one. */
  readonly check?: (query: Query) => Promise<void>;
  /** Seconds for which a connection is used. */
  readonly lifetime?: number;
  /** Called when the database stops to answer, with the reason, and when it answers again. */
  readonly onAway?: (reason: string) => void;
  readonly onBack?: () => void;
}

/** A database. It connects when it is first used. */
export class Database {
  readonly #source: PostgresSource;
  readonly #options: DatabaseOptions;
  readonly #checked = new WeakSet<object>();
  /** Why connections broke. The driver's next error only says that they did. */
  readonly #broken = new WeakMap<object, Error>();
  #driver: Promise<Driver> | undefined;
  #isAway = false;
  #isDoubtful = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #semaphore: Semaphore;

  readonly #checkThere = (): void => {
    if (this.#isAway) throw new StoreAway('the database does not answer');
  };

  constructor(source: PostgresSource, options: DatabaseOptions) {
    this.#source = source;
    this.#options = options;
    this.#semaphore = new Semaphore(options.connections);
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Runs work in a transaction, and commits it. Tries again where another transaction gets in the way.
   *
   * @param mode such as `ISOLATION LEVEL REPEATABLE READ READ ONLY`
   * @throws {StoreAway} when the database does not answer; the transaction may have been committed then
   * @throws {StoreFull} when the database's disk is full
   */
  async transaction<T>(work: Work<T>, mode: string = READ_COMMITTED): Promise<T> {
    let tries = 0;
    return retry(
      () => this.#semaphore.take(() => this.#attempt(work, mode), this.#checkThere),
      (error) => {
        if (error instanceof Crowded) {
          this.#semaphore.shrink(error.connections);
          return PAUSE;
        }
        if (!(error instanceof TryAgain)) throw error;
        if (++tries < TRIES) return 0;
        throw new StoreAway(error.message);
      },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#semaphore.close();
    await (await this.#driver)?.pool.end();
  }

  async #attempt<T>(work: Work<T>, mode: string): Promise<T> {
    let client: PoolClient | undefined;
    let isSound = false;
    try {
      const driver = await this.#load();
      client = await this.#connect(driver);
      const transaction = new Transaction(client, driver.runBehind, [`BEGIN ${mode}`, ...LIMITS]);
      try {
        const result = await work(transaction.query, transaction.last);
        await transaction.commit();
        isSound = true;
        return result;
      } catch (error) {
        if (!isGone(error)) {
          await transaction.rollback();
          isSound = true;
        }
        throw error;
      }
    } catch (error) {
      if (!isGone(error)) throw meaningOf(error);
      const reason = lineOf((client && this.#broken.get(client)) ?? error);
      this.#doubt(reason);
      throw new StoreAway(reason);
    } finally {
      client?.release(!isSound);
    }
  }

  async #connect({ pool }: Driver): Promise<PoolClient> {
    const client = await pool.connect().catch((error: unknown) => {
      // Whatever the server says, such as that it takes no connections to this database: it may take them later.
      throw sqlState(error) === TOO_MANY && pool.totalCount > 0 ? new Crowded(pool.totalCount) : new NoConnection(lineOf(error));
    });
    if (this.#checked.has(client)) return client;
    try {
      await this.#options.check?.(queryOf(client));
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#checked.add(client);
    return client;
  }

  #load(): Promise<Driver> {
    if (this.#isClosed) throw new StoreAway('the connection is closed');
    this.#driver ??= this.#open();
    return this.#driver;
  }

  async #open(): Promise<Driver> {
    const { default: pg } = await import('pg');
    // One more than run at a time, to try whether the database answers.
    const { connections, lifetime = LIFETIME } = this.#options;
    const limits = { max: connections + 1, idleTimeoutMillis: 60_000, maxLifetimeSeconds: lifetime };
    const pool = new pg.Pool({ ...settingsOf(this.#source), ...PIPELINE, ...limits });
    pool.on('error', () => undefined); // an idle connection broke, and the pool has removed it
    // From the first moment: the server may end a connection in the same packet in which it accepts it. The query that fails tells it.
    pool.on('connect', (client) => client.on('error', (error) => this.#broken.set(client, error)));
    return { pool, runBehind: createRunBehind(pg.Query) };
  }

  /**
   * Begins to try whether the database answers. One connection that broke says little, so the database is only away when the next one fails,
   * too; one that took too long says enough. It answers when it has committed a write.
   */
  #doubt(reason: string): void {
    if (this.#isDoubtful || this.#isClosed || !this.#options.isGuarded) return;
    this.#isDoubtful = true;
    if (/timeout/.test(reason)) this.#leave(reason);
    let pid = 0;
    const look = async (): Promise<void> => {
      try {
        await this.#attempt(async (query) => {
          await query(END_WRITE, [pid]);
          const [[backend, isReadOnly] = []] = await query(WRITE);
          pid = Number(backend);
          checkWritable(isReadOnly);
        }, READ_COMMITTED);
      } catch (error) {
        if (this.#isClosed) return;
        if (!(error instanceof Crowded)) this.#leave(lineOf(error)); // then others of this collector get answers
        this.#timer = setTimeout(look, RETRY).unref();
        return;
      }
      const wasAway = this.#isAway;
      this.#isAway = false;
      this.#isDoubtful = false;
      if (wasAway) this.#options.onBack?.();
    };
    void look();
  }

  #leave(reason: string): void {
    if (!this.#isAway) this.#options.onAway?.(reason);
    this.#isAway = true;
    this.#semaphore.wake();
  }
}
