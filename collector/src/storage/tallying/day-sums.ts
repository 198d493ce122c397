/**
 * Sums of whole days, over all segments, that a reader keeps in memory: most days of a long range are over, and their tallies stay as they
 * are. Nothing but the newest day is then read from the disk again.
 *
 * While a collector runs, a day's tallies only ever grow (commands that delete them need the store alone, and what retention takes is not
 * read here). So sums that hold as many reports as the day's total now are the sums of that day.
 */

import type { PackedTallies } from './tally-sums.ts';

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
