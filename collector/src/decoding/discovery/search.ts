/**
 * Finds the strings that are worth a test: the prefix extending method (PEM; Wang, Li, Jha 2019, §4) as a beam search. Starting with every
 * bin and no symbol, each prefix is extended by each symbol, and those with the most evidence are kept.
 *
 * A prefix's evidence is that of its weakest part. Let Z_j be the sum of its normal scores (select.ts) over the levels from j on, in standard
 * deviations, and w_j the weight of its symbols from level j on (symbols.ts). Strings with another symbol at level j and the same before add
 * nothing to Z_j. So Z_j² / 2 + ln w_j is about the logarithm of the evidence against chance that these symbols follow, and the score is
 * the least of them over j. A sum over all levels would not do: continuations of a frequent prefix that nobody has would take all places.
 *
 * A search that keeps too few prefixes misses strings. It can't make a test wrong (select.ts).
 */

import { binOf, END, FIRST_WORD, firstWord, type PrefixHashingLaw, placeOfPrefix, SECOND_WORD, secondWord } from '@murmuration/shared';
import { ENDED, logWeightOf, missingAfter, symbolsAfter } from './symbols.ts';

/** Field of a search. */
interface Field {
  readonly law: PrefixHashingLaw;
  /** By level. */
  readonly reports: readonly number[];
  /** By level and place: the normal score times the square root of the level's reports. */
  readonly scores: readonly Float64Array[];
}

/** How far a search is: the prefixes of this many bytes are looked at, and so many are kept. */
export interface Reached {
  readonly length: number;
  readonly longest: number;
  readonly kept: number;
}

/** The empty prefix in each bin. */
const emptyIn = (bins: number): Beam => ({
  size: bins,
  bins: Int32Array.from({ length: bins }, (_, bin) => bin),
  first: new Int32Array(bins).fill(FIRST_WORD),
  second: new Int32Array(bins).fill(SECOND_WORD),
  missing: new Uint8Array(bins),
  last: new Int32Array(bins).fill(NONE),
  nodes: new Int32Array(bins),
  scores: new Float64Array(),
  weights: new Float64Array(),
});

/** 1 / (2 Var) of the sums over the levels from j to this one, by j. */
function scales(reports: readonly number[], level: number): Float64Array {
  const found = new Float64Array(level + 1);
  for (let [j, sum] = [level, 0]; j >= 0; j--) {
    sum += reports[j] as number;
    found[j] = sum > 0 ? 1 / (2 * sum) : 0;
  }
  return found;
}

/** The score of a prefix with one level more, whose last symbol of its own is at level `from`. */
function scoreOf(beam: Beam, row: number, from: number, level: number, more: number, logWeight: number, scale: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (let [j, at] = [from, row * level + from]; j >= 0; j--, at--) {
    const sum = (j < level ? (beam.scores[at] as number) : 0) + more;
    const weight = (j < level ? (beam.weights[at] as number) : 0) + logWeight;
    const score = (sum > 0 ? sum * sum * (scale[j] as number) : 0) + weight;
    if (score < least) least = score;
  }
  return least;
}

/** The least that a level must add for a score of the threshold: scoreOf, solved for `more`. */
function leastMore(
  beam: Beam,
  row: number,
  from: number,
  level: number,
  logWeight: number,
  scale: Float64Array,
  threshold: number,
): number {
  let least = Number.NEGATIVE_INFINITY;
  for (let [j, at] = [from, row * level + from]; j >= 0; j--, at--) {
    const missing = threshold - logWeight - (j < level ? (beam.weights[at] as number) : 0);
    if (missing <= 0) continue;
    const more = Math.sqrt(missing / (scale[j] as number)) - (j < level ? (beam.scores[at] as number) : 0);
    if (more > least) least = more;
  }
  return least;
}

/**
 * The candidates for the next level: the best extensions. Symbols that need more than any place of the level has are not hashed. Few of
 * the others have a place with as much as they need.
 */
function extend({ law, reports, scores }: Field, beam: Beam, level: number, width: number): Candidates {
  const { bins, first, second, missing, last, size } = beam;
  const at = scores[level] as Float64Array;
  const most = at.reduce((a, b) => Math.max(a, b));
  const scale = scales(reports, level);
  const candidates = new Candidates(width);
  for (let row = 0; row < size; row++) {
    const bin = bins[row] as number;
    const one = first[row] as number;
    const other = second[row] as number;
    if (missing[row] === ENDED) {
      const there = at[placeOfPrefix(level, bin, one, other, law.places)] as number;
      candidates.add(scoreOf(beam, row, last[row] as number, level, there, 0, scale), row, NONE, one, other);
      continue;
    }
    for (const { symbols, logWeight } of symbolsAfter(missing[row] as number)) {
      const least = leastMore(beam, row, level, level, logWeight, scale, candidates.threshold);
      if (least > most) break; // those that follow are rarer, and need more
      for (let i = 0; i < symbols.length; i++) {
        const symbol = symbols[i] as number;
        const next = firstWord(one, symbol);
        const nextOther = secondWord(other, symbol);
        const there = at[placeOfPrefix(level, bin, next, nextOther, law.places)] as number;
        if (there < least) continue;
        candidates.add(scoreOf(beam, row, level, level, there, logWeight, scale), row, symbol, next, nextOther);
      }
    }
  }
  return candidates.best();
}

/** The prefixes that are kept, from the candidates. */
function kept({ law, scores }: Field, beam: Beam, level: number, candidates: Candidates, tree: Tree): Beam {
  const { size, parents, symbols, first, second } = candidates;
  const at = scores[level] as Float64Array;
  const columns = level + 1;
  const next: Beam = {
    size,
    bins: new Int32Array(size),
    first: first.slice(0, size),
    second: second.slice(0, size),
    missing: new Uint8Array(size),
    last: new Int32Array(size),
    nodes: new Int32Array(size),
    scores: new Float64Array(size * columns),
    weights: new Float64Array(size * columns),
  };
  for (let row = 0; row < size; row++) {
    const [parent, symbol] = [parents[row] as number, symbols[row] as number];
    const bin = beam.bins[parent] as number;
    const before = beam.missing[parent] as number;
    const there = at[placeOfPrefix(level, bin, first[row] as number, second[row] as number, law.places)] as number;
    next.bins[row] = bin;
    next.missing[row] = symbol === NONE ? before : missingAfter(before, symbol);
    next.last[row] = symbol === NONE ? (beam.last[parent] as number) : level;
    next.nodes[row] = symbol === NONE ? (beam.nodes[parent] as number) : tree.add(beam.nodes[parent] as number, symbol);
    const logWeight = symbol === NONE ? 0 : logWeightOf(before, symbol);
    for (let j = 0; j < columns; j++) {
      next.scores[row * columns + j] = (j < level ? (beam.scores[parent * level + j] as number) : 0) + there;
      next.weights[row * columns + j] = (j < level ? (beam.weights[parent * level + j] as number) : 0) + logWeight;
    }
  }
  return next;
}

/**
 * The strings with the most evidence, in descending order of it. Strings whose bin is not the one that the search was in are left out:
 * nobody reports them there.
 *
 * @param reports by level
 * @param scores the normal scores by level and place
 * @param width how many prefixes of each length are kept
 * @param onReached told after each level
 */
export function search(
  law: PrefixHashingLaw,
  reports: readonly number[],
  scores: readonly Float64Array[],
  width: number,
  onReached?: (how: Reached) => void,
): readonly Uint8Array[] {
  const weighted = scores.map((level, l) => level.map((score) => score * Math.sqrt(reports[l] as number)));
  const field: Field = { law, reports, scores: weighted };
  const tree = new Tree();
  const levels = reports.length;
  let beam = emptyIn(law.bins);
  for (let level = 0; level < levels; level++) {
    beam = kept(field, beam, level, extend(field, beam, level, width), tree);
    onReached?.({ length: level + 1, longest: levels, kept: beam.size });
  }
  const total = Math.max(
    1,
    reports.reduce((sum, each) => sum + each, 0),
  );
  const strings: { readonly bytes: Uint8Array; readonly score: number }[] = [];
  for (let row = 0; row < beam.size; row++) {
    if (binOf(beam.first[row] as number, beam.second[row] as number, law.bins) !== beam.bins[row]) continue;
    const bytes = Uint8Array.from(tree.symbolsTo(beam.nodes[row] as number).filter((symbol) => symbol !== END));
    const sum = Math.max(0, beam.scores[row * levels] as number);
    strings.push({ bytes, score: sum ** 2 / (2 * total) + (beam.weights[row * levels] as number) });
  }
  return strings.sort((a, b) => b.score - a.score).map(({ bytes }) => bytes);
}

/*
 * Prefixes that are still looked at, as columns, and the candidates for their extensions, of which the best are kept. Prefixes form a tree:
 * a node is a symbol and the node before it.
 */

/** Prefixes of one length, a column each. */
interface Beam {
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
const NONE = -1;

/** The most candidates that wait, relative to those that are kept. */
const WAITING = 4;

/** Collects candidates, and drops those that are not among the best. */
class Candidates {
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
class Tree {
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
