/**
 * Sums packed reports of one metric by cohort. A symbol increments its cell directly. Bit vectors go through vertical counters, so no array
 * of cells is allocated for any report.
 */

import { onesOf, type Packing, packingOf, type TallyShape } from '@murmuration/shared';
import type { Tally } from '../../estimation/tally.ts';

// Vertical counters: count how often each bit is set in many bit vectors, 32 bits at a time. Plane i holds bit i of the counts of all
// cells. A carry-save adder (a full adder on words: Warren, Hacker's Delight, 2nd edition, §5-1) adds two vectors to a plane of 32 cells in
// five operations. It passes on one vector of carries, which counts double. Sixteen vectors take fifteen such steps. A loop over bits takes
// sixteen times thirty-two steps, each with a branch that is hard to predict.

const GROUP = 16;
const PLANES = 24;
/** The highest count that `PLANES` planes can hold, in whole groups. */
const MOST = 2 ** PLANES - GROUP;

/** The lowest bit of each byte. */
const LOWEST = 0x01010101;

/** Counts the ones of bit vectors of one length into an array. */
export class VerticalCounter {
  /** Words in a vector. Unused bits of the last word are zero. */
  readonly words: number;
  readonly #counts: Float64Array;
  /** The vectors of the group that is not added yet, one after the other. */
  readonly #rows: Int32Array;
  readonly #planes: Int32Array;
  #waiting = 0;
  #counted = 0;

  /** @param counts one cell per bit; `flush` adds to it */
  constructor(counts: Float64Array) {
    this.words = (counts.length + 31) >> 5;
    this.#counts = counts;
    this.#rows = new Int32Array(GROUP * this.words);
    this.#planes = new Int32Array(PLANES * this.words);
  }

  /** Adds the vector that begins at this word. Bit i of the vector is bit i & 7 of byte i >> 3. */
  add(vector: Int32Array, at: number): void {
    const { words } = this;
    const rows = this.#rows;
    const row = this.#waiting * words;
    for (let w = 0; w < words; w++) rows[row + w] = vector[at + w] as number;
    if (++this.#waiting === GROUP) this.#addGroup();
  }

  /** Brings the counts up to date. */
  flush(): void {
    if (this.#waiting > 0) this.#addGroup();
    this.#unload();
  }

  #addGroup(): void {
    const { words } = this;
    const [rows, planes] = [this.#rows, this.#planes];
    rows.fill(0, this.#waiting * words);
    let low = 0;
    // Each pass adds four rows to two planes at a time. Their carry overwrites a row that was already read.
    for (let quads = GROUP >> 2; quads > 0; quads >>= 2, low += 2 * words) {
      const high = low + words;
      for (let quad = 0; quad < quads; quad++) {
        const into = quad * words;
        const first = 4 * into;
        const second = first + words;
        const third = second + words;
        const fourth = third + words;
        for (let w = 0; w < words; w++) {
          const a = rows[first + w] as number;
          const b = rows[second + w] as number;
          const c = rows[third + w] as number;
          const d = rows[fourth + w] as number;
          const ones = planes[low + w] as number;
          const twos = planes[high + w] as number;
          const ab = a ^ b;
          const sum = ab ^ ones;
          const carry = (a & b) | (ab & ones);
          const cd = c ^ d;
          planes[low + w] = cd ^ sum;
          const other = (c & d) | (cd & sum);
          const both = carry ^ other;
          planes[high + w] = both ^ twos;
          rows[into + w] = (carry & other) | (both & twos);
        }
      }
    }
    for (let w = 0; w < words; w++) {
      for (let carry = rows[w] as number, at = low + w; carry !== 0; at += words) {
        const sum = planes[at] as number;
        planes[at] = sum ^ carry;
        carry &= sum;
      }
    }
    this.#waiting = 0;
    this.#counted += GROUP;
    if (this.#counted >= MOST) this.#unload();
  }

  /** Adds the planes to the counts, eight planes and four cells at a time, with the bits of a count side by side in a byte. */
  #unload(): void {
    const { words } = this;
    const planes = this.#planes;
    const used = 32 - Math.clz32(this.#counted);
    for (let first = 0; first < used; first += 8) {
      for (let w = 0, at = first * words; w < words; w++, at++) {
        this.#unloadWord(
          w,
          2 ** first,
          planes[at] as number,
          planes[at + words] as number,
          planes[at + 2 * words] as number,
          planes[at + 3 * words] as number,
          planes[at + 4 * words] as number,
          planes[at + 5 * words] as number,
          planes[at + 6 * words] as number,
          planes[at + 7 * words] as number,
        );
      }
    }
    planes.fill(0, 0, used * words);
    this.#counted = 0;
  }

  /**
   * Adds eight planes of one word of cells. Bit i of each plane belongs to cell i. The planes are worth `unit`, 2 `unit`, 4 `unit` and so
   * on. Works on four cells at a time, with the bits of a count side by side in a byte.
   */
  #unloadWord(w: number, unit: number, a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number): void {
    const counts = this.#counts;
    for (let bit = 0; bit < 8; bit++) {
      let four =
        ((a >>> bit) & LOWEST) |
        (((b >>> bit) & LOWEST) << 1) |
        (((c >>> bit) & LOWEST) << 2) |
        (((d >>> bit) & LOWEST) << 3) |
        (((e >>> bit) & LOWEST) << 4) |
        (((f >>> bit) & LOWEST) << 5) |
        (((g >>> bit) & LOWEST) << 6) |
        (((h >>> bit) & LOWEST) << 7);
      for (let cell = 32 * w + bit; four !== 0; cell += 8, four >>>= 8) {
        counts[cell] = (counts[cell] as number) + (four & 255) * unit;
      }
    }
  }
}

/** Bytes that a sum takes in addition to its cells and planes: its objects, and the overhead of an accumulator with few sums. */
const OVERHEAD = 1_500;
/** Bytes of a vertical counter per cell: 24 planes and the 16 rows of a group, one bit each. */
const PLANE_BYTES = 5;

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

  /** True if there is a sum of this cohort. */
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
    this.#onGrow?.(OVERHEAD + this.#shape.cells * (Float64Array.BYTES_PER_ELEMENT + (sum.bits === undefined ? 0 : PLANE_BYTES)));
    return sum;
  }
}
