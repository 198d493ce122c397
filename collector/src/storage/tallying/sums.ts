/** Sums of encoded tallies: by cohort, over ranges of days and months, and of whole days that a reader keeps in memory. */

import { monthStart, nextMonth, wholeMonths } from '../../base/days.ts';
import type { Evidence, Excluded, Tally } from '../../estimation/tally.ts';
import type { DayRange, Selection } from '../store.ts';
import { addCells, cellsIn, encodeCells } from './cell-codec.ts';

/** Encoded tallies of several cohorts, one after the other. */
export interface PackedTallies {
  readonly cohorts: ArrayLike<number>;
  /** The reports of each. */
  readonly reports: ArrayLike<number>;
  /** The length in bytes of the cells of each. */
  readonly lengths: ArrayLike<number>;
  readonly cells: Uint8Array;
}

/** Tallies by cohort, to which others are added. */
export class TallySums {
  readonly tallies: Map<number, { reports: number; readonly cells: Float64Array }> = new Map<number, Tally>();
  reports = 0;

  /** @throws {RangeError} when they are not tallies of equally many cells */
  add({ cohorts, reports, lengths, cells }: PackedTallies): void {
    for (let [i, at] = [0, 0]; i < cohorts.length; i++) {
      const end = at + (lengths[i] as number);
      const cohort = cohorts[i] as number;
      let tally = this.tallies.get(cohort);
      if (tally === undefined) {
        tally = { reports: 0, cells: new Float64Array(cellsIn(cells, at, end)) };
        this.tallies.set(cohort, tally);
      }
      addCells(cells, tally.cells, at, end);
      at = end;
      tally.reports += reports[i] as number;
      this.reports += reports[i] as number;
    }
  }

  /** The sums as tallies to be added elsewhere. */
  packed(): PackedTallies {
    const all = [...this.tallies];
    const encoded = all.map(([, { cells }]) => encodeCells(cells));
    return {
      cohorts: Float64Array.from(all, ([cohort]) => cohort),
      reports: Float64Array.from(all, ([, { reports }]) => reports),
      lengths: Uint32Array.from(encoded, ({ length }) => length),
      cells: Buffer.concat(encoded),
    };
  }
}

// Sums of the tallies of days and months, as evidence of a range of days or of each part of it.

/** The tallies of a day or a month, of one segment or of all. */
export interface DayRow extends PackedTallies {
  readonly day: number;
}

/** Adds up the rows of each day. */
export function* byDay(rows: Iterable<DayRow>): Generator<readonly [day: number, sums: TallySums]> {
  let [current, sums]: [number | undefined, TallySums] = [undefined, new TallySums()];
  for (const row of rows) {
    if (current !== undefined && row.day !== current) {
      yield [current, sums];
      sums = new TallySums();
    }
    current = row.day;
    sums.add(row);
  }
  if (current !== undefined) yield [current, sums];
}

/** The days before `rolled` are kept as months. */
interface Kept extends Pick<Selection, 'exclude'> {
  readonly rolled: number;
}

/** Tells whether a day is left out, alone or with its month. */
export function exclusionOf({ exclude = [], rolled }: Kept): (day: number) => boolean {
  const keyOf = (day: number): number => (day < rolled ? monthStart(day) : day);
  const keys = new Set(exclude.map(keyOf));
  return (day) => keys.has(keyOf(day));
}

/** Sums of tallies without the days that are left out, and the days that they are of. */
export class RangeSums {
  readonly #rolled: number;
  readonly #isExcluded: (day: number) => boolean;
  readonly #excluded = new Map<number, { from: number; to: number; reports: number }>();
  readonly #sums = new TallySums();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(kept: Kept) {
    this.#rolled = kept.rolled;
    this.#isExcluded = exclusionOf(kept);
  }

  add(row: DayRow): void {
    if (this.#isExcluded(row.day)) return this.#exclude(row);
    this.#sums.add(row);
    this.#first = Math.min(this.#first, row.day);
    this.#last = Math.max(this.#last, row.day);
  }

  #exclude({ day, reports }: DayRow): void {
    const [from, to] = day < this.#rolled ? [monthStart(day), nextMonth(day) - 1] : [day, day];
    const excluded = this.#excluded.get(from) ?? { from, to, reports: 0 };
    this.#excluded.set(from, excluded);
    for (let i = 0; i < reports.length; i++) excluded.reports += reports[i] as number;
  }

  evidence(): Omit<Evidence, 'ones'> {
    const { reports } = this.#sums;
    const rolled = this.#rolled;
    const days: readonly Excluded[] = [...this.#excluded.values()].sort((a, b) => a.from - b.from);
    const excluded = days.length > 0 && { excluded: days };
    // In the order of their cohorts, so that sums of floating-point numbers do not depend on the order in which a store reads its rows.
    const tallies = new Map([...this.#sums.tallies].sort(([a], [b]) => a - b));
    if (reports === 0) return { tallies, reports, from: null, to: null, ...excluded };
    const [first, last] = [this.#first, this.#last];
    const [from, to] = [first < rolled ? monthStart(first) : first, last < rolled ? nextMonth(last) - 1 : last];
    return { tallies, reports, from, to, ...excluded };
  }
}

/**
 * The evidence of each part of a range, without its ones.
 *
 * @param rows months first, in the order of their days
 * @param parts follow each other in time
 */
export function partsOf(rows: Iterable<DayRow>, parts: readonly DayRange[], kept: Kept): readonly Evidence[] {
  const wanted = parts.map(({ from, to }) => ({ days: wholeMonths(from, to, kept.rolled), sums: new RangeSums(kept) }));
  let at = 0;
  for (const row of rows) {
    if (row.day < (wanted[at]?.days[0] ?? 0)) at = 0; // the days after the months
    while (at < wanted.length - 1 && row.day > (wanted[at]?.days[1] ?? 0)) at++;
    const part = wanted[at];
    if (part !== undefined && part.days[0] <= row.day && row.day <= part.days[1]) part.sums.add(row);
  }
  return wanted.map(({ sums }) => ({ ...sums.evidence(), ones: [] }));
}

// Sums of whole days, over all segments, that a reader keeps in memory: most days of a long range are over, and their tallies stay as they
// are. Nothing but the newest day is then read from the disk again.
//
// While a collector runs, a day's tallies only ever grow (commands that delete them need the store alone, and what retention takes is not
// read here). So sums that hold as many reports as the day's total now are the sums of that day.

/** Bytes of the sums that are kept, without what each object takes. */
const MOST_BYTES = 2 ** 26;

/** The sums of a metric's days. */
interface Days {
  readonly sums: Map<number, { readonly reports: number; readonly packed: PackedTallies }>;
  bytes: number;
}

const bytesOf = ({ cohorts, cells }: PackedTallies): number => cells.length + 20 * cohorts.length;

/** Sums of days by metric. Beyond the limit, the metrics that were not asked for longest go. */
export class DaySums {
  readonly #metrics = new Map<string, Days>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The sums of a day with so many reports; undefined when they are not kept. */
  find(metric: string, day: number, reports: number): PackedTallies | undefined {
    const sums = this.#metrics.get(metric)?.sums.get(day);
    return sums?.reports === reports ? sums.packed : undefined;
  }

  /** Keeps the sums of a day. */
  keep(metric: string, day: number, reports: number, packed: PackedTallies): void {
    const days = this.#metrics.get(metric) ?? { sums: new Map(), bytes: 0 };
    const former = days.sums.get(day);
    const more = bytesOf(packed) - (former === undefined ? 0 : bytesOf(former.packed));
    days.sums.set(day, { reports, packed });
    days.bytes += more;
    this.#bytes += more;
    this.#metrics.delete(metric); // the latest are last
    this.#metrics.set(metric, days);
    for (const [name, { bytes }] of this.#metrics) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#metrics.delete(name);
      this.#bytes -= bytes;
    }
  }
}
