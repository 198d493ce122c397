/**
 * Reads an embedded store for `murmuration migrate`, in pieces: the tallies of one day or month of a metric, with the day's totals. Each is
 * read in a snapshot of its own, because one that lasts would keep a running collector from truncating its WAL.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TIMEOUT } from '../files/database.ts';
import { BLOCK, packTallies } from '../postgres/packed.ts';
import { ROW_BYTES } from '../quota.ts';
import { foldLog } from '../sqlite/backup.ts';
import { checkCurrent, DATABASE } from '../sqlite/schema.ts';

/** Days before `closed` take no batches, days before `rolled` are kept as months, and days before `kept` not at all. */
export interface Borders {
  readonly closed: number;
  readonly rolled: number;
  readonly kept: number;
}

/** A day or a month of a metric. A piece whose counts are as they were is as it was, because tallies only grow until they are rolled up. */
export interface Piece {
  readonly kind: 'day' | 'month';
  readonly schema: string;
  readonly metric: string;
  readonly day: number;
  /** Reports of the day's total, and of its tallies: they are fewer where the day is being added up to its month. */
  readonly reports: number;
  readonly held: number;
}

/** A tally as it is stored. */
export interface StoredTally {
  readonly segment: string;
  readonly cohort: number;
  readonly reports: number;
  readonly cells: Uint8Array;
}

/** Tallies of a segment as the database keeps them. */
interface Block {
  readonly segment: string;
  readonly block: number;
  readonly reports: number;
  readonly bytes: Uint8Array;
}

/** Content of a piece. */
export interface Content extends Piece {
  readonly blocks: readonly Block[];
  readonly ones: readonly (readonly [ones: number, reports: number])[];
  /** Rows of its app's quota that it takes. */
  readonly rows: number;
  readonly bytes: number;
}

/** A metric and its totals. Without reports, it has no days. */
export interface SourceMetric {
  readonly schema: string;
  readonly metric: string;
  readonly reports: number;
  readonly first: number | null;
  readonly last: number | null;
}

const METRIC = '(SELECT n FROM metric WHERE schema = ? AND name = ?)';

const tableOf = ({ kind }: Pick<Piece, 'kind'>): string => (kind === 'day' ? 'tally' : 'monthly');

/** Tallies of a piece, in the order of their segments and cohorts, as blocks. */
function blocksOf(tallies: Iterable<StoredTally>): { readonly blocks: readonly Block[]; readonly rows: number; readonly bytes: number } {
  const blocks: Block[] = [];
  let open = new Map<number, StoredTally>();
  let [segment, block, rows, bytes] = ['', 0, 0, 0];
  const close = (): void => {
    if (open.size === 0) return;
    const reports = [...open.values()].reduce((sum, tally) => sum + tally.reports, 0);
    blocks.push({ segment, block, reports, bytes: packTallies(open) });
    open = new Map();
  };
  for (const tally of tallies) {
    const of = Math.floor(tally.cohort / BLOCK);
    if (tally.segment !== segment || of !== block) close();
    [segment, block] = [tally.segment, of];
    open.set(tally.cohort, tally);
    rows++;
    bytes += ROW_BYTES + tally.cells.length;
  }
  close();
  return { blocks, rows, bytes };
}

/** An embedded store that is read. */
export class Source {
  readonly #database: DatabaseSync;

  /** @throws {RangeError} when the folder has no store, or one of another version */
  constructor(folder: string) {
    const file = join(folder, DATABASE);
    if (!existsSync(file)) throw new RangeError(`--data ${folder}: expected a folder with a store, got none`);
    checkCurrent(file);
    this.#database = new DatabaseSync(file, { timeout: TIMEOUT }); // a read-only connection would leave a stray WAL behind
  }

  /** Folds what a collector that was killed has left in the log. Nobody else may write the store. */
  static fold(folder: string): void {
    foldLog(join(folder, DATABASE), folder);
  }

  get borders(): Borders {
    const row = this.#database.prepare('SELECT before AS closed, rolled, kept FROM closed, border').get();
    return { closed: Number(row?.['closed']), rolled: Number(row?.['rolled']), kept: Number(row?.['kept']) };
  }

  /** Whatever is kept. */
  pieces(): readonly Piece[] {
    const { rolled, kept } = this.borders;
    return this.#database
      .prepare(
        `SELECT 'day' AS kind, schema, name AS metric, day, total.reports, CASE WHEN day >= ? THEN total.reports ELSE
            coalesce((SELECT sum(reports) FROM tally WHERE tally.metric = n AND tally.day = total.day), 0) END AS held
          FROM total JOIN metric ON n = total.metric WHERE day >= ?
        UNION ALL SELECT 'month', schema, name, day, sum(monthly.reports), sum(monthly.reports)
          FROM monthly JOIN metric ON n = monthly.metric WHERE day >= ? GROUP BY n, day`,
      )
      .all(rolled, kept, kept) as unknown as readonly Piece[];
  }

  /** The tallies of a piece, in the order of their segments and cohorts. */
  tallies(piece: Pick<Piece, 'kind' | 'schema' | 'metric' | 'day'>): Iterable<StoredTally> {
    return this.#database
      .prepare(
        `SELECT json AS segment, cohort, reports, cells FROM ${tableOf(piece)} JOIN segment ON segment.n = segment
          WHERE metric = ${METRIC} AND day = ? ORDER BY json, cohort`,
      )
      .iterate(piece.schema, piece.metric, piece.day) as unknown as Iterable<StoredTally>;
  }

  /** The reports of each day of a metric, and of each number of ones of its days. */
  totals({ schema, metric }: Pick<Piece, 'schema' | 'metric'>): readonly (readonly number[])[] {
    return this.#numbers(`SELECT day, reports FROM total WHERE metric = ${METRIC} AND day >= ? ORDER BY day`, schema, metric);
  }

  ones({ schema, metric }: Pick<Piece, 'schema' | 'metric'>): readonly (readonly number[])[] {
    return this.#numbers(`SELECT day, ones, reports FROM ones WHERE metric = ${METRIC} AND day >= ? ORDER BY day, ones`, schema, metric);
  }

  /** Current content of a piece, in one snapshot. */
  content(piece: Piece): Content {
    const { kind, schema, metric, day } = piece;
    this.#database.exec('BEGIN');
    try {
      const packed = blocksOf(this.tallies(piece));
      const held = packed.blocks.reduce((sum, { reports }) => sum + reports, 0);
      if (kind === 'month') return { ...piece, ...packed, reports: held, held, ones: [] };
      const find = (sql: string): readonly Record<string, unknown>[] => this.#database.prepare(sql).all(schema, metric, day);
      const [total] = find(`SELECT reports FROM total WHERE metric = ${METRIC} AND day = ?`);
      const ones = find(`SELECT ones, reports FROM ones WHERE metric = ${METRIC} AND day = ?`);
      return {
        ...{ ...piece, ...packed, reports: Number(total?.['reports'] ?? 0), held },
        ones: ones.map((row) => [Number(row['ones']), Number(row['reports'])]),
      };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  /** All metrics, in the order of their schemas and names. */
  metrics(): readonly SourceMetric[] {
    return this.#database
      .prepare(
        `SELECT schema, name AS metric, reports, CASE WHEN reports > 0 THEN first END AS first, CASE WHEN reports > 0 THEN last END AS last
          FROM metric ORDER BY schema, name`,
      )
      .all() as unknown as readonly SourceMetric[];
  }

  /** The apps that have batches of each open day, and how many. */
  appIds(): readonly { readonly app: string; readonly day: number; readonly ids: number }[] {
    return this.#database
      .prepare('SELECT app, day, ids FROM app_ids WHERE day >= (SELECT before FROM closed)')
      .all() as unknown as readonly { app: string; day: number; ids: number }[];
  }

  /** Rows of ids from a number on, in their order, at most so many. */
  idRows(from: number, most: number): readonly { readonly first: number; readonly words: Uint8Array }[] {
    return this.#database
      .prepare('SELECT first, words FROM ids WHERE first >= ? ORDER BY first LIMIT ?')
      .all(from, most) as unknown as readonly { first: number; words: Uint8Array }[];
  }

  close(): void {
    this.#database.close();
  }

  #numbers(sql: string, schema: string, metric: string): readonly (readonly number[])[] {
    const { kept } = this.borders;
    return this.#database
      .prepare(sql)
      .all(schema, metric, kept)
      .map((row) => Object.values(row).map(Number));
  }
}
