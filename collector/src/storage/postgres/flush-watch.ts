/**
 * Watches whether flushes succeed. The database may answer and yet take no batch: somebody holds a lock, has detached a partition or taken a
 * right away. A collector that can't write batches for some seconds is not ready and takes none, whatever the reason. It retries on its own until
 * a write succeeds.
 */

import { StoreAway, StoreFull } from '../../base/fault.ts';
import type { Partitions } from './batch-ids.ts';
import type { Database } from './database.ts';
import { lineOf, sqlState } from './errors.ts';
import { SCHEMA } from './tables.ts';

/** Milliseconds between two looks. */
const LOOK = 250;

/** SQLSTATE of a row that has no partition. */
const NO_PARTITION = '23514';

/** Writes what a flush writes, and deletes it in the same transaction. */
export async function tryToWrite(database: Database, partitions: Partitions, day: number): Promise<void> {
  try {
    await partitions.ensure([day]);
    await database.transaction(async (query) => {
      const id = crypto.randomUUID();
      await query(
        `INSERT INTO ${SCHEMA}.batch_id (shard, day, id, body) SELECT 0, $1::integer, $2::uuid, 0 FROM ${SCHEMA}.store WHERE closed <= $1
          ON CONFLICT (shard, day, id) DO NOTHING`,
        [day, id],
      );
      await query(`INSERT INTO ${SCHEMA}.delta (shard, id, head, sums) VALUES (0, $1, '', '')`, [id]);
      await query(`DELETE FROM ${SCHEMA}.delta WHERE shard = 0 AND id = $1`, [id]);
      await query(`DELETE FROM ${SCHEMA}.batch_id WHERE shard = 0 AND day = $1 AND id = $2`, [day, id]);
    });
  } catch (error) {
    if (sqlState(error) === NO_PARTITION) partitions.forget();
    throw error;
  }
}

/** Options of a clock watch. */
export interface FlushWatchParts {
  /** Milliseconds for which flushes may fail or hang. */
  readonly patience: number;
  /** Resolves when a batch could be written now. */
  readonly tryToWrite: () => Promise<void>;
  /** Called when no flush has succeeded for a while, with the reason, and when one does again. */
  readonly onStuck: (reason: string) => void;
  readonly onFree: () => void;
}

/** Watches flushes. */
export class FlushWatch {
  readonly #parts: FlushWatchParts;
  readonly #timer: NodeJS.Timeout;
  #running = 0;
  /** When the first flush began of those that have not succeeded since the last one that did. */
  #since: number | undefined;
  #reason = 'flushes wait for something';
  #isFull = false;
  #isTold = false;
  #isTrying = false;

  constructor(parts: FlushWatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), LOOK).unref();
  }

  /** True if flushes fail or hang, and none has succeeded for a while. */
  get isStuck(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= this.#parts.patience;
  }

  /** The error for batches that come while it is stuck. */
  get refusal(): StoreAway | StoreFull {
    return this.#isFull ? new StoreFull(this.#reason) : new StoreAway(this.#reason);
  }

  /** Runs a flush. */
  async run<T>(flush: () => Promise<T>): Promise<T> {
    this.#since ??= performance.now();
    this.#running++;
    try {
      const result = await flush();
      this.#succeed(this.#running > 1);
      return result;
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#running--;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #succeed(areOthersRunning: boolean): void {
    this.#since = areOthersRunning ? performance.now() : undefined;
    if (this.#isTold) this.#parts.onFree();
    this.#isTold = false;
  }

  #fail(error: unknown): void {
    this.#reason = lineOf(error);
    this.#isFull = error instanceof StoreFull;
  }

  #look(): void {
    if (this.#since === undefined) return;
    if (this.isStuck && !this.#isTold) {
      this.#isTold = true;
      this.#parts.onStuck(this.#reason);
    }
    if ((this.#running === 0 || this.isStuck) && !this.#isTrying) void this.#try();
  }

  async #try(): Promise<void> {
    this.#isTrying = true;
    try {
      await this.#parts.tryToWrite();
      this.#succeed(this.#running > 0);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isTrying = false;
    }
  }
}
