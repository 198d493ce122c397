/**
 * The room that each app has in the store: rows of tallies a day, and bytes in all. A stranger who knows an app's schema can open a row with
 * each report: another cohort, another segment. Rows are counted by app and day, so that a flood takes neither another app's room nor
 * tomorrow's, and what a schema can open in a day at all is usually less. Where an app's room is used up, batches are still taken when
 * each of their reports has its row already.
 */

import type { DatabaseSync } from 'node:sqlite';

/** The limits of each app, and of the store. */
export interface RoomLimits {
  /** Rows that the batches of one day may open. A row is one cohort of one metric in one segment. */
  readonly mostRows: number;
  /** Bytes of all rows. */
  readonly mostBytes: number;
  /** Ids of batches of all apps. The store keeps them in memory, at 12 to 24 bytes each. `AppIds` says how apps share them. */
  readonly mostIds: number;
}

/**
 * The rows of a day are enough for four text metrics of 65,536 cohorts in eight segments, and take some 130 MB while each has few reports.
 * The ids are those of 4 million batches a day.
 */
export const ROOM: RoomLimits = { mostRows: 2 ** 21, mostBytes: 2 ** 34, mostIds: 2 ** 26 };

/** Bytes of a row beside its cells: its key, the key in the index, and what SQLite adds to both. Measured: 38 to 46. */
export const ROW_BYTES = 42;

/** What an app has gained, or lost, in the tables of one day. */
export interface Growth {
  readonly app: string;
  readonly day: number;
  readonly rows: number;
  readonly bytes: number;
}

/** The app of a schema's wire name. */
export const appOf = (schema: string): string => schema.slice(0, schema.indexOf('/'));

const GROW = `INSERT INTO room (app, day, rows, bytes) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET rows = rows + excluded.rows, bytes = bytes + excluded.bytes`;

/** Returns a function that writes growth to the table. Runs inside a transaction; call `grow` after its commit. */
export function createGrowthWriter(database: DatabaseSync): (growth: readonly Growth[]) => void {
  const put = database.prepare(GROW);
  return (growth) => {
    for (const { app, day, rows, bytes } of growth) put.run(app, day, rows, bytes);
  };
}

/** Knows how much of its room each app has used. */
export class Room {
  readonly #limits: RoomLimits;
  readonly #rows = new Map<string, Map<number, number>>();
  readonly #bytes = new Map<string, number>();

  constructor(database: DatabaseSync, limits: RoomLimits) {
    this.#limits = limits;
    this.grow(database.prepare('SELECT app, day, rows, bytes FROM room').all() as unknown as readonly Growth[]);
  }

  grow(growth: readonly Growth[]): void {
    for (const { app, day, rows, bytes } of growth) {
      const days = this.#rows.get(app) ?? new Map<number, number>();
      this.#rows.set(app, days.set(day, (days.get(day) ?? 0) + rows));
      this.#bytes.set(app, (this.#bytes.get(app) ?? 0) + bytes);
    }
  }

  /** The number of rows that batches of a day may still open. */
  leftOf(app: string, day: number): number {
    if ((this.#bytes.get(app) ?? 0) >= this.#limits.mostBytes) return 0;
    return this.#limits.mostRows - (this.#rows.get(app)?.get(day) ?? 0);
  }
}
