/** Sums of the tallies of days and months, as evidence of a range of days or of each part of it. */

import { monthStart, nextMonth, wholeMonths } from '../../base/months.ts';
import type { Evidence } from '../../estimation/tally.ts';
import type { DayRange } from '../store.ts';
import { type PackedTallies, TallySums } from './tally-sums.ts';

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

/** Sums of tallies, and the days that they are of. */
export class RangeSums {
  readonly #sums = new TallySums();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(row: DayRow): void {
    this.#sums.add(row);
    this.#first = Math.min(this.#first, row.day);
    this.#last = Math.max(this.#last, row.day);
  }

  /** The sums, where days before `rolled` are kept as months. */
  evidence(rolled: number): Omit<Evidence, 'ones'> {
    const { reports } = this.#sums;
    // In the order of their cohorts, so that sums of floating-point numbers do not depend on the order in which a store reads its rows.
    const tallies = new Map([...this.#sums.tallies].sort(([a], [b]) => a - b));
    if (reports === 0) return { tallies, reports, from: null, to: null };
    const [first, last] = [this.#first, this.#last];
    const [from, to] = [first < rolled ? monthStart(first) : first, last < rolled ? nextMonth(last) - 1 : last];
    return { tallies, reports, from, to };
  }
}

/**
 * The evidence of each part of a range, without its ones.
 *
 * @param rows months first, in the order of their days
 * @param parts follow each other in time
 */
export function partsOf(rows: Iterable<DayRow>, parts: readonly DayRange[], rolled: number): readonly Evidence[] {
  const wanted = parts.map(({ from, to }) => ({ days: wholeMonths(from, to, rolled), sums: new RangeSums() }));
  let at = 0;
  for (const row of rows) {
    if (row.day < (wanted[at]?.days[0] ?? 0)) at = 0; // the days after the months
    while (at < wanted.length - 1 && row.day > (wanted[at]?.days[1] ?? 0)) at++;
    const part = wanted[at];
    if (part !== undefined && part.days[0] <= row.day && row.day <= part.days[1]) part.sums.add(row);
  }
  return wanted.map(({ sums }) => ({ ...sums.evidence(rolled), ones: [] }));
}
