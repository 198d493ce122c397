/**
 * How many of the ids each app holds, so that a flood of one app's batches leaves room for the ids of the others. The share is that of the
 * dynamic thresholds with which switches share a buffer (Choudhury and Hahne 1998): an app may hold up to `ALPHA` times what is free. So n
 * flooded apps hold ALPHA / (1 + n ALPHA) of the ids each, and the rest is for those that hold less.
 */

import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './transaction.ts';

/** One app alone may hold 8/9 of the ids. */
const ALPHA = 8;

type Counts = Map<string, { readonly app: string; readonly day: number; ids: number }>;

function add(counts: Counts, app: string, day: number, ids: number): void {
  const key = `${app}\n${day}`;
  const count = counts.get(key) ?? { app, day, ids: 0 };
  counts.set(key, count);
  count.ids += ids;
}

/** The ids of each app, by day. */
export class AppIds {
  readonly #database: DatabaseSync;
  readonly #put;
  readonly #counts: Counts = new Map();
  /** Those that are not written yet. */
  readonly #fresh: Counts = new Map();
  readonly #sums = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#put = database.prepare('INSERT INTO app_ids (app, day, ids) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ids = ids + excluded.ids');
    for (const { app, day, ids } of database.prepare('SELECT app, day, ids FROM app_ids').all())
      this.#count(String(app), Number(day), Number(ids));
  }

  /** Whether an app may hold so many ids besides its own, where so many more would fit. */
  hasRoom(app: string, more: number, free: number): boolean {
    return (this.#sums.get(app) ?? 0) + more < ALPHA * free;
  }

  add(app: string, day: number, ids: number): void {
    if (ids === 0) return;
    this.#count(app, day, ids);
    add(this.#fresh, app, day, ids);
  }

  /** Writes what was added since the last write. Runs inside a transaction; call `written` after its commit. */
  write(): void {
    for (const { app, day, ids } of this.#fresh.values()) this.#put.run(app, day, ids);
  }

  written(): void {
    this.#fresh.clear();
  }

  /** Forgets the ids of days before this one. Everything must be written. */
  expire(before: number): void {
    transaction(this.#database, () => this.#database.prepare('DELETE FROM app_ids WHERE day < ?').run(before));
    for (const [key, { app, day, ids }] of this.#counts) {
      if (day >= before) continue;
      this.#counts.delete(key);
      this.#sums.set(app, (this.#sums.get(app) ?? 0) - ids);
    }
  }

  #count(app: string, day: number, ids: number): void {
    add(this.#counts, app, day, ids);
    this.#sums.set(app, (this.#sums.get(app) ?? 0) + ids);
  }
}
