/**
 * Quotas: what each app may hold in a store, in rows and bytes of tallies and in ids of batches.
 *
 * The quota of each app in the store: rows of tallies a day, and bytes in all. A stranger who knows an app's schema can open a row with
 * each report: another cohort, another segment. Rows are counted by app and day, so that a flood takes neither another app's quota nor
 * tomorrow's, and what a schema can open in a day at all is usually less. Where an app's quota is used up, batches are still taken when
 * each of their reports has its row already.
 */

import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './files/database.ts';
import type { StoreSizes } from './store.ts';

/** The limits of each app, and of the store. */
export interface QuotaLimits {
  /** Rows that the batches of one day may open. A row is one cohort of one metric in one segment. */
  readonly mostRows: number;
  /** Bytes of all rows. */
  readonly mostBytes: number;
  /**
   * Ids of batches of all apps. `AppIds` says how apps share them. The embedded store keeps them in memory, so its default follows that
   * (`idsInMemory`). In a database they are rows, and only its disk bounds them.
   */
  readonly mostIds: number;
}

/**
 * The rows of a day are enough for four text metrics of 65,536 cohorts in eight segments, and take some 130 MB while each has few reports.
 */
export const QUOTA_LIMITS: QuotaLimits = { mostRows: 2 ** 21, mostBytes: 2 ** 34, mostIds: Number.MAX_SAFE_INTEGER };

/** Bytes of a row beside its cells: its key, the key in the index, and what SQLite adds to both. Measured: 38 to 46. */
export const ROW_BYTES = 42;

/** Growth of an app in the tables of one day. */
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

/** Rows and bytes that each app has used. */
export class RowQuota {
  readonly #limits: QuotaLimits;
  readonly #rows = new Map<string, Map<number, number>>();
  readonly #bytes = new Map<string, number>();

  constructor(database: DatabaseSync, limits: QuotaLimits) {
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

// How many of the ids each app holds, so that a flood of some apps' batches leaves room for the ids of the others. Write keys are public, so
// any app can be flooded, and all but one at once.
//
// The rule. Of M ids, each of the A apps that are published has a share of r = floor(M / 2A), in which nobody else's ids can be. The rest
// is for apps that hold more than their share, as switches let their ports share a buffer (dynamic thresholds, Choudhury and Hahne 1998):
// with U ids that are free and in nobody's share, an app may hold up to r + ALPHA U.
//
// What it guarantees. An app that holds less than r is always admitted, whatever the others sent, and in whatever order. Proof: let F be
// the free ids, h(a) those of app a, and R the sum of max(0, r - h(a)), so that U = F - R. In the empty store U = M - A r >= 0. A batch of
// an app below its share lowers F and R by one and leaves U; a batch of another app is admitted only while 0 <= h(a) - r < ALPHA U, so
// while U >= 1, and lowers F and U by one; an id that expires raises F by one, and R by one at most. So U >= 0 always, and F = U + R >= 1
// while some app is below its share. Hence n flooded apps leave an honest one at least M / 2A, which is M / 2(n + 1) where they are all the
// others. No rule that never takes an id back could give the k-th app that comes M / k, whoever floods: these do not fit into M. (Without
// shares each flooded app in turn takes all but 1 / (1 + ALPHA) of what is free, and n of them leave M / (1 + ALPHA)^n.)
//
// When a further app is published, the shares shrink, and its own is there as far as ids are free.

/** One app alone may hold 8/9 of the ids in nobody's share: of all ids, 17/18 where it is the only app. */
const ALPHA = 8;

type Counts = Map<string, { readonly app: string; readonly day: number; ids: number }>;

function add(counts: Counts, app: string, day: number, ids: number): void {
  const key = `${app}\n${day}`;
  const count = counts.get(key) ?? { app, day, ids: 0 };
  counts.set(key, count);
  count.ids += ids;
}

/** Ids of one app: those above its share, or a negative number below it. */
export interface IdUsage {
  over: number;
}

/** Quota of ids while a group is judged. */
export class IdQuota {
  #left: number;
  /** Those that are in nobody's share. */
  #shared: number;
  readonly #overOf: (app: string) => number;
  readonly #usages = new Map<string, IdUsage>();

  constructor(left: number, reserved: number, overOf: (app: string) => number) {
    this.#left = left;
    this.#shared = left - reserved;
    this.#overOf = overOf;
  }

  usageOf(app: string): IdUsage {
    const usage = this.#usages.get(app) ?? { over: this.#overOf(app) };
    this.#usages.set(app, usage);
    return usage;
  }

  hasRoom({ over }: IdUsage): boolean {
    return over < 0 ? this.#left > 0 : over < ALPHA * this.#shared;
  }

  /** True if none of these apps has room for an id. */
  isFull(apps: Iterable<string>): boolean {
    const all = [...apps];
    return all.length > 0 && all.every((app) => !this.hasRoom(this.usageOf(app)));
  }

  /** Gives an id to an app that has room for it. */
  take(usage: IdUsage): void {
    this.#left--;
    if (usage.over >= 0) this.#shared--;
    usage.over++;
  }
}

/** The ids of each app, by day. */
export class AppIds {
  readonly #database: DatabaseSync;
  readonly #most: number;
  /** The apps that have a share, how large it is, and how many ids of all shares are free. */
  readonly #apps = new Set<string>();
  #share = 0;
  #reserved = 0;
  readonly #put;
  readonly #counts: Counts = new Map();
  /** Those that are not written yet. */
  readonly #fresh: Counts = new Map();
  readonly #sums = new Map<string, number>();

  /** @param most ids of all apps */
  constructor(database: DatabaseSync, most: number) {
    this.#database = database;
    this.#most = most;
    this.#put = database.prepare('INSERT INTO app_ids (app, day, ids) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ids = ids + excluded.ids');
    for (const { app, day, ids } of database.prepare('SELECT app, day, ids FROM app_ids').all())
      this.#count(String(app), Number(day), Number(ids));
  }

  /** Gives further apps a share. */
  share(apps: Iterable<string>): void {
    for (const app of apps) this.#apps.add(app);
    this.#share = Math.floor(this.#most / (2 * Math.max(this.#apps.size, 1)));
    this.#reserved = [...this.#apps].reduce((sum, app) => sum + this.#missing(app), 0);
  }

  /** Quota for a group, where the store keeps so many ids. */
  quota(kept: number): IdQuota {
    return new IdQuota(this.#most - kept, this.#reserved, (app) => (this.#sums.get(app) ?? 0) - (this.#apps.has(app) ? this.#share : 0));
  }

  /** Facts about the room for ids, where the store keeps so many. */
  sizes(kept: number): Pick<StoreSizes, 'mostIds' | 'idsADay' | 'isFull'> {
    const days = new Map<number, number>();
    for (const { day, ids } of this.#counts.values()) days.set(day, (days.get(day) ?? 0) + ids);
    return { mostIds: this.#most, idsADay: Math.max(0, ...days.values()), isFull: this.quota(kept).isFull(this.#apps) };
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
      this.#change(app, -ids);
    }
  }

  #count(app: string, day: number, ids: number): void {
    add(this.#counts, app, day, ids);
    this.#change(app, ids);
  }

  #change(app: string, ids: number): void {
    const before = this.#missing(app);
    this.#sums.set(app, (this.#sums.get(app) ?? 0) + ids);
    this.#reserved += this.#missing(app) - before;
  }

  /** Ids that an app lacks to its share. */
  #missing(app: string): number {
    return this.#apps.has(app) ? Math.max(0, this.#share - (this.#sums.get(app) ?? 0)) : 0;
  }
}
