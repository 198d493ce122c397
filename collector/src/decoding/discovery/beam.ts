/**
 * Prefixes that are still looked at, as columns, and the candidates for their extensions, of which the best are kept. Prefixes form a tree:
 * a node is a symbol and the node before it.
 */

/** Prefixes of one length, a column each. */
export interface Beam {
  readonly size: number;
  readonly bins: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** The missing bytes of the last character, or ENDED (symbols.ts). */
  readonly missing: Uint8Array;
  /** The last level with a symbol of its own; those after it repeat the whole string. */
  readonly last: Int32Array;
  readonly nodes: Int32Array;
  /** Row by prefix, column by level j: the sums over the levels from j on of scores, and of the logarithms of weights. */
  readonly scores: Float64Array;
  readonly weights: Float64Array;
}

/** No symbol: the string has ended before. */
export const NONE = -1;

/** The most candidates that wait, relative to those that are kept. */
const WAITING = 4;

/** Collects candidates, and drops those that are not among the best. */
export class Candidates {
  /** Only candidates with at least this score can still be among the best. */
  threshold: number = Number.NEGATIVE_INFINITY;
  size = 0;
  readonly parents: Int32Array;
  readonly symbols: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly #scores: Float64Array;
  readonly #width: number;

  constructor(width: number) {
    const room = WAITING * width;
    this.#width = width;
    this.#scores = new Float64Array(room);
    this.parents = new Int32Array(room);
    this.symbols = new Int32Array(room);
    this.first = new Int32Array(room);
    this.second = new Int32Array(room);
  }

  add(score: number, parent: number, symbol: number, first: number, second: number): void {
    if (this.size === this.#scores.length) this.keepBest();
    if (score < this.threshold) return;
    const at = this.size++;
    this.#scores[at] = score;
    this.parents[at] = parent;
    this.symbols[at] = symbol;
    this.first[at] = first;
    this.second[at] = second;
  }

  /** The best, in descending order of their scores. Of equal scores, the first come first. */
  best(): Candidates {
    this.keepBest();
    const scores = this.#scores;
    const order = Uint32Array.from({ length: this.size }, (_, at) => at);
    order.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
    for (const column of [this.#scores, this.parents, this.symbols, this.first, this.second]) {
      const before = column.slice(0, this.size);
      for (let at = 0; at < this.size; at++) column[at] = before[order[at] as number] as number;
    }
    return this;
  }

  /** Drops all but the best. Of equal scores, the first are kept. */
  keepBest(): void {
    if (this.size <= this.#width) return;
    const sorted = this.#scores.slice(0, this.size).sort();
    this.threshold = sorted[this.size - this.#width] as number;
    let ties = this.#width - (this.size - firstAbove(sorted, this.threshold));
    let kept = 0;
    for (let at = 0; at < this.size; at++) {
      const score = this.#scores[at] as number;
      if (score < this.threshold || (score === this.threshold && ties-- <= 0)) continue;
      for (const column of [this.#scores, this.parents, this.symbols, this.first, this.second]) column[kept] = column[at] as number;
      kept++;
    }
    this.size = kept;
  }
}

/** The index of the first number above a limit, in ascending numbers. */
function firstAbove(sorted: Float64Array, limit: number): number {
  let at = sorted.length;
  while (at > 0 && (sorted[at - 1] as number) > limit) at--;
  return at;
}

/** A tree of prefixes. Node 0 is the empty one. */
export class Tree {
  readonly #parents: number[] = [NONE];
  readonly #symbols: number[] = [NONE];

  add(parent: number, symbol: number): number {
    this.#parents.push(parent);
    return this.#symbols.push(symbol) - 1;
  }

  /** The symbols from the first to this node's. */
  symbolsTo(node: number): readonly number[] {
    const symbols: number[] = [];
    for (let at = node; at > 0; at = this.#parents[at] as number) symbols.push(this.#symbols[at] as number);
    return symbols.reverse();
  }
}
