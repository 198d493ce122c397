/**
 * The partitions of ids, one for each day. A day's partition is created in the background when the first batch of the day before comes, or
 * when its own first batch does, unless the day is closed, and is dropped
 * with all of its ids after the day was closed. Both look at `closed` under the lock of its row, so that a partition that was dropped can't
 * come back: a replay of a day whose ids are gone would be counted.
 */

import type { Database } from './database.ts';
import { lineOf } from './errors.ts';
import { FILLING, SCHEMA } from './tables.ts';
import { checkVersion } from './version.ts';

const nameOf = (day: number | ''): string => `${SCHEMA}.batch_id_${day}`;

/** Knows which partitions exist. Other collectors create and drop them, too. */
export class Partitions {
  readonly #database: Database;
  readonly #known = new Set<number>();
  #closed = 0;
  /** The newest day that was asked for. */
  #newest = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates the partitions of these days that do not exist, except those of closed days. */
  async ensure(days: Iterable<number>): Promise<void> {
    const unknown = [...new Set(days)].filter((day) => !this.#known.has(day) && day >= this.#closed).sort((a, b) => a - b);
    if (unknown.length === 0) return;
    this.#newest = Math.max(this.#newest, unknown.at(-1) ?? 0);
    await this.#create(await this.#find(unknown));
  }

  /** Creates the partition of the day after the newest one, so that at midnight no flush waits until it is there. */
  async ahead(): Promise<void> {
    const next = this.#newest + 1;
    if (this.#newest > 0 && !this.#known.has(next) && next >= this.#closed) await this.#create(await this.#find([next]));
  }

  /** Takes a look at which partitions exist, without a lock that flushes of all collectors would queue for. Returns the days that have none. */
  async #find(days: readonly number[]): Promise<readonly number[]> {
    const found = await this.#database.transaction((query) =>
      query(`SELECT day FROM unnest($1::integer[]) AS day WHERE to_regclass('${nameOf('')}' || day) IS NOT NULL`, [days]),
    );
    const there = new Set(found.map(([day]) => Number(day)));
    for (const day of there) this.#known.add(day);
    return days.filter((day) => !there.has(day));
  }

  async #create(missing: readonly number[]): Promise<void> {
    if (missing.length === 0) return;
    const { open, closed } = await this.#database.transaction(async (query) => {
      const [[closed, version] = []] = await query(`SELECT closed, version FROM ${SCHEMA}.store FOR UPDATE`);
      if (Number(version) !== FILLING) checkVersion(version);
      const open = missing.filter((day) => day >= Number(closed));
      for (const day of open) {
        // By the catalog's rows: `to_regclass` may still say what it said before this transaction waited for the lock.
        const there = await query(`SELECT 1 FROM pg_class WHERE relname = $1 AND relnamespace = '${SCHEMA}'::regnamespace`, [
          `batch_id_${day}`,
        ]);
        if (there.length > 0) continue;
        await query(`CREATE TABLE ${nameOf(day)} (LIKE ${SCHEMA}.batch_id INCLUDING ALL)`);
        // Created in place, it would lock the whole table against flushes for a moment.
        await query(`ALTER TABLE ${SCHEMA}.batch_id ATTACH PARTITION ${nameOf(day)} FOR VALUES IN (${day})`);
      }
      return { open, closed: Number(closed) };
    });
    this.#closed = closed;
    for (const day of open) this.#known.add(day);
  }

  /** Forgets what exists and which days are closed, after another collector has dropped some, or somebody has opened days again. */
  forget(): void {
    this.#known.clear();
    this.#closed = 0;
  }

  /** Closes the days before this one, for all collectors. They never open again. */
  async close(before: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query(`UPDATE ${SCHEMA}.store SET closed = $1 WHERE closed < $1`, [before]);
    });
    await this.dropClosed();
  }

  /**
   * Drops the ids of closed days, each day in a transaction of its own, because a flush waits for the lock. A day that can't be dropped is
   * left for the next time. Resolves to the reason, if there is such a day.
   */
  async dropClosed(): Promise<string | undefined> {
    const days = await this.#database.transaction(async (query) => {
      const rows = await query(
        `SELECT substring(relname FROM '[0-9]+$')::integer AS day FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
          WHERE inhparent = '${SCHEMA}.batch_id'::regclass
            AND substring(relname FROM '[0-9]+$')::integer < (SELECT closed FROM ${SCHEMA}.store)`,
      );
      await query(`DELETE FROM ${SCHEMA}.app_ids WHERE day < (SELECT closed FROM ${SCHEMA}.store)`);
      return rows.map(([day]) => Number(day));
    });
    let reason: string | undefined;
    for (const day of days) {
      try {
        await this.#drop(day);
      } catch (error) {
        reason ??= lineOf(error);
      }
    }
    return reason;
  }

  /** Drops the ids of a day, unless somebody has opened it again. */
  async #drop(day: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      const [[closed] = []] = await query(`SELECT closed FROM ${SCHEMA}.store FOR SHARE`);
      if (day >= Number(closed)) return;
      // Flushes queue behind a drop that waits, so it gives up soon.
      await query(`SET LOCAL lock_timeout = '100ms'`);
      await query(`DROP TABLE IF EXISTS ${nameOf(day)}`);
    });
    this.#known.delete(day);
  }
}
