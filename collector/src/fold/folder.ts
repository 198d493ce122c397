/**
 * The folder: reports of one metric, packed as words, added up by cohort. Symbols are direct increments, bit vectors go
 * through vertical counters; no array of cells is made for any report.
 */

import { onesOf, type Packing, packingOf, type TallyShape } from '@murmuration/shared';
import type { Tally } from '../store/store.ts';
import { VerticalCounter } from './vertical.ts';

interface Sum {
  reports: number;
  readonly cells: Float64Array;
  readonly bits: VerticalCounter | undefined;
}

/** Adds up reports of one shape. */
export class Folder {
  readonly packing: Packing;
  readonly #shape: TallyShape;
  readonly #sums = new Map<number, Sum>();
  readonly #ones: Map<number, number> | undefined;

  constructor(shape: TallyShape) {
    this.#shape = shape;
    this.packing = packingOf(shape);
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
    const words = new Int32Array(this.packing.words);
    const bytes = new Uint8Array(words.buffer);
    for (const payload of payloads) {
      this.packing.pack(payload, words, bytes, 0);
      this.add(words, 0);
    }
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
    return sum;
  }
}
