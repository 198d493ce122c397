/**
 * How much each app holds: ids, rows and bytes. It is read from the database now and then, and what this collector has added since is
 * counted on top. So one collector alone holds its limits exactly, and several may exceed them by what the others add in a second.
 */

import { IdQuota } from '../app-ids.ts';
import { appOf, type RoomLimits } from '../room.ts';
import type { Shapes, StoreSizes } from '../store.ts';
import type { Database, Query } from './database.ts';
import { type Ids, readHead } from './delta.ts';
import { SCHEMA } from './tables.ts';

/** What a flush adds. */
export interface Added {
  readonly ids: readonly Ids[];
  /** Rows that it opens at most. */
  readonly rows: readonly (readonly [app: string, day: number, rows: number])[];
  isCommitted: boolean;
}

type Counts = Map<string, number>;

const add = (counts: Counts, key: string, count: number): void => void counts.set(key, (counts.get(key) ?? 0) + count);

/** What the database holds, with its deltas: by app, or by app and day. */
interface Held {
  readonly ids: Counts;
  readonly rows: Counts;
  readonly bytes: Counts;
  /** Rows of the tallies, without deltas. */
  readonly tallies: number;
}

const placeOf = (app: string, day: number): string => `${app}\n${day}`;

async function readHeld(query: Query): Promise<Held> {
  const held = { ids: new Map<string, number>(), rows: new Map<string, number>(), bytes: new Map<string, number>(), tallies: 0 };
  for (const [app, ids] of await query(`SELECT app, sum(ids) FROM ${SCHEMA}.app_ids GROUP BY app`)) add(held.ids, String(app), Number(ids));
  for (const [app, day, rows, bytes] of await query(`SELECT app, day, sum(rows), sum(bytes) FROM ${SCHEMA}.room GROUP BY app, day`)) {
    add(held.rows, placeOf(String(app), Number(day)), Number(rows));
    add(held.bytes, String(app), Number(bytes));
    held.tallies += Number(rows);
  }
  for (const [head] of await query(`SELECT head FROM ${SCHEMA}.delta`)) {
    const { additions, ids } = readHead(String(head));
    for (const [app, , count] of ids) add(held.ids, app, count);
    for (const { partition, rows } of additions) add(held.rows, placeOf(appOf(partition[0]), partition[1]), rows);
  }
  return held;
}

/** What apps hold, as far as this collector knows. */
export class Holdings {
  readonly #database: Database;
  readonly #limits: RoomLimits;
  readonly #apps = new Set<string>();
  #held: Held = { ids: new Map(), rows: new Map(), bytes: new Map(), tallies: 0 };
  #added: Added[] = [];

  constructor(database: Database, limits: RoomLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** Gives the apps of further schemas a share of the ids. */
  share(shapes: Shapes): void {
    for (const schema of shapes.keys()) this.#apps.add(appOf(schema));
  }

  /** Reads what the database holds now. */
  async refresh(): Promise<void> {
    const before = new Set(this.#added.filter(({ isCommitted }) => isCommitted));
    this.#held = await this.#database.transaction(readHeld, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
    this.#added = this.#added.filter((added) => !before.has(added)); // they are among what was read
  }

  /** Counts what a flush adds, from before its transaction. Returns the function that takes it back. */
  reserve(added: Added): () => void {
    this.#added.push(added);
    return () => {
      this.#added = this.#added.filter((each) => each !== added);
    };
  }

  /** The ids that are left for a flush (`app-ids.ts`). */
  quota(): IdQuota {
    const ids = new Map(this.#held.ids);
    for (const added of this.#added) for (const [app, , count] of added.ids) add(ids, app, count);
    const share = Math.floor(this.#limits.mostIds / (2 * Math.max(this.#apps.size, 1)));
    const reserved = [...this.#apps].reduce((sum, app) => sum + Math.max(0, share - (ids.get(app) ?? 0)), 0);
    const kept = [...ids.values()].reduce((sum, count) => sum + count, 0);
    return new IdQuota(this.#limits.mostIds - kept, reserved, (app) => (ids.get(app) ?? 0) - (this.#apps.has(app) ? share : 0));
  }

  /** The rows that batches of an app's day may still open. */
  rowsLeft(app: string, day: number): number {
    if ((this.#held.bytes.get(app) ?? 0) >= this.#limits.mostBytes) return 0;
    const place = placeOf(app, day);
    const own = this.#added.reduce((sum, { rows }) => sum + rows.reduce((all, [a, d, n]) => all + (a === app && d === day ? n : 0), 0), 0);
    return this.#limits.mostRows - (this.#held.rows.get(place) ?? 0) - own;
  }

  get sizes(): StoreSizes {
    return { ids: [...this.#held.ids.values()].reduce((sum, count) => sum + count, 0), rows: this.#held.tallies };
  }
}
