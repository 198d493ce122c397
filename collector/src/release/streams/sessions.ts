/** The parts of streams: the state of each that nobody may see, its cells, and the sessions that are kept in memory. */

import { LRUCache } from 'lru-cache';
import type { LedgerTransaction } from '../../storage/release-ledger.ts';
import type { ClaimingParts } from '../claims.ts';
import { dayOf } from '../measures/measure.ts';
import type { Interactive, Session } from '../mechanisms/interactive.ts';
import { type Columns, type CountingQuery, cellsOf } from '../mechanisms/queries.ts';
import type { Random } from '../mechanisms/random.ts';
import type { Resolved } from '../query/resolve.ts';
import { type Column, DAY } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';
import { mechanismOf } from './design.ts';
import type { Conditions } from './request.ts';
import { designOptionsOf, hardAfter, type Stream, type StreamAnswer } from './stream.ts';

/** Parts of streams. */
export interface StreamParts extends ClaimingParts {
  readonly random: Random;
}

/** The secret of a stream: who knows the threshold can tell how near guesses are, and the counts are exact. */
export interface StreamSecret {
  readonly threshold: number;
  readonly counts: SparseCounts;
}

/** Runs what sees secrets. An error says nothing of its cause, which could name them. */
export function unnamed<T>(work: () => T): T {
  try {
    return work();
  } catch {
    throw new Error('the stream failed, and nothing was answered');
  }
}

// The cells of a stream: combinations of the values of its columns. A question is a set of them, given by conditions on the columns.

/** Counts of cells that are not 0. */
export type SparseCounts = readonly (readonly [cell: number, count: number])[];

/** The reports in each cell, of those that a stream is about. */
export function countsOf({ table, where, from, to }: Resolved, columns: Columns, rows: readonly ReportCount[]): SparseCounts {
  const readerOf = (name: string): Column['of'] => (name === DAY ? dayOf : (table.columns.get(name) as Column).of);
  const allowed = [...where].map(([name, values]) => ({ of: readerOf(name), values: new Set(values) }));
  const parts = columns.map(({ name, values }) => ({ of: readerOf(name), places: new Map(values.map((value, place) => [value, place])) }));
  const counts = new Map<number, number>();
  for (const row of rows) {
    if (row.day < from || row.day > to || !allowed.every(({ of, values }) => values.has(of(row)))) continue;
    const cell = parts.reduce((before, { of, places }) => before * places.size + (places.get(of(row)) as number), 0);
    counts.set(cell, (counts.get(cell) ?? 0) + row.reports);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** All cells. */
export function denseCounts(columns: Columns, counts: SparseCounts): readonly number[] {
  const dense = new Array<number>(cellsOf(columns)).fill(0);
  for (const [cell, count] of counts) dense[cell] = count;
  return dense;
}

/**
 * The conditions of a question as they are stored: only columns that are restricted, in the order of the stream's columns, and their values
 * in the order of the column's. So questions that mean the same are the same.
 *
 * @throws {RangeError} when a column or a value is not the stream's, or nothing would be left
 */
export function conditionsOf(columns: Columns, asked: Conditions): Conditions {
  const unknown = Object.keys(asked).find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined)
    throw new RangeError(
      `where.${unknown.slice(0, 80)}: expected one of the stream's columns ${columns.map(({ name }) => name).join(', ')}, got ${JSON.stringify(unknown.slice(0, 80))}`,
    );
  const chosen = columns.flatMap(({ name, values }): readonly (readonly [string, readonly string[]])[] => {
    if (!Object.hasOwn(asked, name)) return [];
    const [wanted, known] = [new Set(asked[name]), new Set(values)];
    const other = [...wanted].find((value) => !known.has(value));
    if (other !== undefined || wanted.size === 0)
      throw new RangeError(
        `where.${name}: expected some of ${values.join(', ').slice(0, 300)}, got ${other === undefined ? 'none' : JSON.stringify(other.slice(0, 80))}`,
      );
    return wanted.size === known.size ? [] : [[name, values.filter((value) => wanted.has(value))]];
  });
  return Object.fromEntries(chosen);
}

/** The cells of a question, whose conditions are checked. */
export function cellsIn(columns: Columns, where: Conditions): CountingQuery {
  const chosen = columns.map(({ name, values }) => {
    const wanted = Object.hasOwn(where, name) ? new Set(where[name]) : undefined;
    return { size: values.length, places: values.flatMap((value, place) => (wanted?.has(value) === false ? [] : [place])) };
  });
  return chosen.reduce<number[]>((cells, { size, places }) => cells.flatMap((cell) => places.map((place) => cell * size + place)), [0]);
}

// What streams have learned so far, kept in memory: to learn it again from all hard answers may take half a second. None of it is secret.

/** The most streams that are kept: one may take 64 MiB. */
const MOST_KEPT = 4;

interface Kept {
  readonly mechanism: Interactive;
  /** Without its threshold. */
  readonly session: Session;
  /** The last entry that it has learned from, or that of the stream. Its hash stands for all entries before it. */
  readonly last: { readonly n: number; readonly hash: string };
}

/** Known state of a stream, and the hard answers since. */
interface News {
  /** Undefined if nothing is known that belongs to this ledger. */
  readonly known: Kept | undefined;
  readonly hard: readonly StreamAnswer[];
}

/** The sessions of streams. */
export class Sessions {
  readonly #kept = new LRUCache<number, Kept>({ max: MOST_KEPT });

  /** Reads the hard answers of a stream that are not known. */
  async newsOf(ledger: LedgerTransaction, stream: Stream): Promise<News> {
    const kept = this.#kept.get(stream.stream);
    const [last] = kept === undefined ? [] : await ledger.find({ n: kept.last.n });
    const known = last !== undefined && last.hash === kept?.last.hash ? kept : undefined;
    return { known, hard: await hardAfter(ledger, stream, known?.last.n ?? stream.stream) };
  }

  /** The mechanism of a stream, and its session after all hard answers. */
  learn(stream: Stream, { known = fresh(stream), hard }: News): Pick<Kept, 'mechanism' | 'session'> {
    const { mechanism } = known;
    const session = hard.reduce(
      (before, { where, value }) => mechanism.learn(before, { query: cellsIn(stream.columns, where), value }),
      known.session,
    );
    this.#kept.set(stream.stream, { mechanism, session, last: hard.at(-1)?.entry ?? known.last });
    return { mechanism, session };
  }
}

function fresh(stream: Stream): Kept {
  const mechanism = mechanismOf(designOptionsOf(stream), stream, stream.total);
  return { mechanism, session: mechanism.resume(0, []), last: stream.entry };
}
