/**
 * Adds up packed reports of one metric by cohort. Symbols are direct increments. Bit vectors go through vertical counters;
 * no array of cells is made for any report.
 */

import { onesOf, type Packing, packingOf, type TallyShape } from '@murmuration/shared';
import type { Tally } from '../store/store.ts';
import { VerticalCounter } from './vertical-counters.ts';

/** Bytes that a sum takes beside its cells and planes: its own objects, and those of an accumulator with few sums. */
const OVERHEAD = 1_500;
/** Bytes of a vertical counter for each cell: its 24 planes and the 16 rows of a group, at a bit each. */
const PLANES = 5;

interface Sum {
  reports: number;
  readonly cells: Float64Array;
  readonly bits: VerticalCounter | undefined;
}

/** Adds up reports of one shape. */
export class Accumulator {
  readonly packing: Packing;
  readonly #shape: TallyShape;
  readonly #sums = new Map<number, Sum>();
  readonly #ones: Map<number, number> | undefined;
  readonly #onGrow: ((bytes: number) => void) | undefined;
  /** Room for one report. */
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  /** @param onGrow is told about how many bytes the sums grow by */
  constructor(shape: TallyShape, onGrow?: (bytes: number) => void) {
    this.#shape = shape;
    this.#onGrow = onGrow;
    this.packing = packingOf(shape);
    this.#words = new Int32Array(this.packing.words);
    this.#bytes = new Uint8Array(this.#words.buffer);
    // Of sets of one size the number of ones tells nothing.
    this.#ones = shape.form === 'bits' && shape.weight === undefined ? new Map() : undefined;
  }

  /** Adds the report that was packed at a word. */
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
   * Adds reports as they come over the wire.
   *
   * @throws {RangeError} at the first that is no report of the shape in canonical form
   */
  addPayloads(payloads: Iterable<string>): void {
    for (const payload of payloads) {
      this.packing.pack(payload, this.#words, this.#bytes, 0);
      this.add(this.#words, 0);
    }
  }

  /**
   * Adds a report as a randomizer gives it.
   *
   * @throws {RangeError} when it is no report of the shape
   */
  addReport(report: Uint8Array): void {
    this.packing.packBytes(report, this.#words, this.#bytes, 0);
    this.add(this.#words, 0);
  }

  /** What was added so far, by cohort. */
  tallies(): ReadonlyMap<number, Tally> {
    for (const { bits } of this.#sums.values()) bits?.flush();
    return this.#sums;
  }

  /** How many reports had so many ones; none where every report has as many, or one symbol. */
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
