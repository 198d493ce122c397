/**
 * Vertical counters: how often each bit was set in many bit vectors, 32 of them at a time. Plane i holds bit i of the
 * counts of all cells, so a carry-save adder (a full adder on words: Warren, Hacker's Delight, 2nd edition, §5-1) adds two
 * vectors to a plane of 32 cells in five operations and hands on one vector of carries, worth twice as much. Sixteen
 * vectors take fifteen such steps; a loop over bits takes sixteen times thirty-two, and guesses at each branch.
 */

const GROUP = 16;
const PLANES = 24;
/** What `PLANES` can count to, in whole groups. */
const MOST = 2 ** PLANES - GROUP;

/** Each of four bits as the lowest of a byte of its own. */
const SPREAD = Uint32Array.from({ length: 16 }, (_, four) => (four & 1) | ((four & 2) << 7) | ((four & 4) << 14) | ((four & 8) << 21));

/** Counts the ones of bit vectors of one length into an array. */
export class VerticalCounter {
  /** How many words a vector has: bits that are short of one are zero. */
  readonly words: number;
  readonly #counts: Float64Array;
  /** The vectors of the group that is not added yet, each after the other. */
  readonly #rows: Int32Array;
  readonly #planes: Int32Array;
  #waiting = 0;
  #counted = 0;

  /** @param counts a cell for each bit, to which `flush` adds */
  constructor(counts: Float64Array) {
    this.words = (counts.length + 31) >> 5;
    this.#counts = counts;
    this.#rows = new Int32Array(GROUP * this.words);
    this.#planes = new Int32Array(PLANES * this.words);
  }

  /** Adds the vector that begins at a word: bit i of the vector is bit i & 7 of byte i >> 3. */
  add(vector: Int32Array, at: number): void {
    const { words } = this;
    const row = this.#waiting * words;
    for (let w = 0; w < words; w++) this.#rows[row + w] = vector[at + w] as number;
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
    // Each pass adds four rows to two planes at a time, and their carry takes the place of a row that was read before.
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

  /** Adds the planes to the counts, eight planes and four cells at a time: a count's bits side by side in a byte. */
  #unload(): void {
    const bytes = new Uint8Array(this.#planes.buffer);
    const stride = 4 * this.words;
    const counts = this.#counts;
    const used = 32 - Math.clz32(this.#counted);
    for (let first = 0; first < used; first += 8) {
      const last = Math.min(used, first + 8);
      for (let nibble = 0; 4 * nibble < counts.length; nibble++) {
        const shift = 4 * (nibble & 1);
        let four = 0;
        for (let plane = first, at = first * stride + (nibble >> 1); plane < last; plane++, at += stride) {
          four |= (SPREAD[((bytes[at] as number) >> shift) & 15] as number) << (plane - first);
        }
        for (let cell = 4 * nibble; four !== 0 && cell < counts.length; cell++, four >>>= 8) {
          counts[cell] = (counts[cell] as number) + (four & 255) * 2 ** first;
        }
      }
    }
    this.#planes.fill(0, 0, used * this.words);
    this.#counted = 0;
  }
}
