/**
 * Sums packed reports of one metric by cohort. A symbol increments its cell directly. Bit vectors go through vertical counters, so no array
 * of cells is allocated for any report.
 */

import { onesOf, type Packing, packingOf, type TallyShape } from '@murmuration/shared';
import type { Tally } from '../../estimation/tally.ts';
import { VerticalCounter } from './vertical-counters.ts';

/** Bytes that a sum takes in addition to its cells and planes: its objects, and the overhead of an accumulator with few sums. */
const OVERHEAD = 1_500;
/** Bytes of a vertical counter per cell: 24 planes and the 16 rows of a group, one bit each. */
const PLANES = 5;

interface Sum {
  reports: number;
  readonly cells: Float64Array;
  readonly bits: VerticalCounter | undefined;
}

/** Sums reports of one shape. */
export class Accumulator {
  readonly packing: Packing;
  readonly #shape: TallyShape;
  readonly #sums = new Map<number, Sum>();
  readonly #ones: Map<number, number> | undefined;
  readonly #onGrow: ((bytes: number) => void) | undefined;
  /** Scratch space for one report. */
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  /** @param onGrow called for each new cohort, with the approximate number of bytes by which the sums grow */
  constructor(shape: TallyShape, onGrow?: (bytes: number) => void) {
    this.#shape = shape;
    this.#onGrow = onGrow;
    this.packing = packingOf(shape);
    this.#words = new Int32Array(this.packing.words);
    this.#bytes = new Uint8Array(this.#words.buffer);
    // In sets of one size, the number of ones carries no information.
    this.#ones = shape.form === 'bits' && shape.ones === undefined ? new Map() : undefined;
  }

  /** Adds the packed report that begins at this word. */
  add(words: Int32Array, at: number): void {
    const sum = this.#sumOf(words[at] as number);
    sum.reports++;
    if (sum.bits === undefined) {
      const symbol = words[at + 1] as number;
      sum.cells[symbol] = (sum.cells[symbol] as number) + 1;
      return;
    }
    sum.bits.add(words, at + 1);
    if (this.#ones === undefined) return;
    let ones = 0;
    for (let i = at + this.packing.words; --i > at; ) ones += onesOf(words[i] as number);
    this.#ones.set(ones, (this.#ones.get(ones) ?? 0) + 1);
  }

  /**
   * Adds reports in wire format.
   *
   * @throws {RangeError} at the first payload that is not a report of the shape in canonical form
   */
  addPayloads(payloads: Iterable<string>): void {
    for (const payload of payloads) {
      this.packing.pack(payload, this.#words, this.#bytes, 0);
      this.add(this.#words, 0);
    }
  }

  /**
   * Adds a report in the form in which a randomizer returns it.
   *
   * @throws {RangeError} when it is not a report of the shape
   */
  addReport(report: Uint8Array): void {
    this.packing.packBytes(report, this.#words, this.#bytes, 0);
    this.add(this.#words, 0);
  }

  /** Whether there is a sum of this cohort. */
  has(cohort: number): boolean {
    return this.#sums.has(cohort);
  }

  /** The sums so far, by cohort. */
  tallies(): ReadonlyMap<number, Tally> {
    for (const { bits } of this.#sums.values()) bits?.flush();
    return this.#sums;
  }

  /** The number of reports by how many ones they have. Empty where a report is one symbol or all reports have equally many ones. */
  ones(): ReadonlyMap<number, number> {
    return this.#ones ?? new Map();
  }

  #sumOf(cohort: number): Sum {
    const known = this.#sums.get(cohort);
    if (known !== undefined) return known;
    const cells = new Float64Array(this.#shape.cells);
    const sum = { reports: 0, cells, bits: this.#shape.form === 'bits' ? new VerticalCounter(cells) : undefined };
    this.#sums.set(cohort, sum);
    this.#onGrow?.(OVERHEAD + this.#shape.cells * (Float64Array.BYTES_PER_ELEMENT + (sum.bits === undefined ? 0 : PLANES)));
    return sum;
  }
}
