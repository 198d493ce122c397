/**
 * The candidates that are found, by two rules. The list is the shorter of the two.
 *
 * The procedure of Benjamini and Hochberg (1995) holds the expected share of false ones among those found, with an estimate of how many
 * candidates are null. Where no candidate is there at all, a list has a false string with a probability of 5 % to 5.3 % where
 * 5 % was asked for (test/proofs/decode-pieces.test.ts).
 *
 * That share is a mean over the list, and its last strings are false more often. So no string is found that is more likely false than true:
 * the support line (Soloff, Xiang, Fithian 2022, "The edge of discovery") ends the list at the k with the largest D(k) = q k / n - p(k), with
 * n null candidates and q = 1/2. Where null p-values are uniform and independent of each other and of the strings', its last string is false
 * with a probability of q. Where the density of the strings' p-values falls, too, neither rule holds less for the shorter of the two lists.
 */

import { normalQuantile, normalTail } from '../../estimation/statistics/tails.ts';

export interface Discoveries {
  /** For each candidate, the least false discovery rate at which it is found; 1 if it is at none. */
  readonly qValues: Float64Array;
  /** For each found candidate, the p-value up to which it still would be, with all others as they are. For others, the largest of these. */
  readonly thresholds: Float64Array;
  readonly found: number;
}

/** q: the last string of a list is null at most so often. */
const MOST_LIKELY_NULL = 0.5;

/** The number of sorted values that are at most x. */
function upTo(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The p-values up to which each of the candidates above the support line stays there, from the smallest p-value on.
 *
 * Let D(t) = q #{p <= t} / n - t. Without candidate i it is lower by q / n from its p-value on. So i stays in the list up to the last t at which
 * D(t) is at least its largest value without i: the largest before i's p-value, or q / n below the largest of all.
 */
function supported(sorted: Float64Array, nulls: number): Float64Array {
  const step = MOST_LIKELY_NULL / nulls;
  const height = (k: number): number => step * k - (k === 0 ? 0 : (sorted[k - 1] as number));
  const all = upTo(sorted, CUT);
  let last = 0;
  for (let k = 1; k <= all; k++) if (height(k) >= height(last)) last = k;
  const thresholds = new Float64Array(last);
  let [level, at] = [height(last) - step, all];
  for (let k = 0; k < last; k++) {
    level = Math.max(level, height(k));
    while (height(at) < level) at--;
    thresholds[k] = Math.min(CUT, step * at - level);
  }
  return thresholds;
}

/** The discoveries at this false discovery rate. */
export function discoveriesOf(pValues: Float64Array, fdr: number): Discoveries {
  const all = pValues.length;
  const sorted = pValues.slice().sort();
  const nulls = nullCount(all, (p) => upTo(sorted, p));
  const stays = supported(sorted, nulls);
  const least = new Float64Array(all);
  let q = 1;
  for (let i = all - 1; i >= 0; i--) {
    const p = sorted[i] as number;
    if (p <= CUT) q = Math.min(q, (nulls * p) / (i + 1));
    least[i] = q;
  }
  const held = upTo(least, fdr);
  const found = Math.min(held, stays.length);
  // Where nothing is found, that of a candidate alone at the top.
  const most = found > 0 ? (fdr * held) / nulls : Math.min(fdr, MOST_LIKELY_NULL) / all;
  const qValues = new Float64Array(all).fill(1);
  const thresholds = new Float64Array(all).fill(Math.min(most, stays[0] ?? CUT));
  const end = sorted[stays.length - 1] ?? -1;
  for (const [v, p] of pValues.entries()) {
    if (p > end) continue;
    const rank = upTo(sorted, p) - 1;
    qValues[v] = least[rank] as number;
    if (rank < found) thresholds[v] = Math.min(most, stays[rank] as number);
  }
  return { qValues, thresholds, found };
}

/*
 * How many candidates are null, from all p-values. Storey's (2002) estimate, #{p > λ} / (1 - λ), counts most rare strings as null: their
 * p-values are only a little smaller than uniform ones.
 *
 * Here z = Φ^-1(1 - p) is N(θ, 1), and θ is 0 for null candidates. The θ of strings has a density that falls from 0 on: a mixture of uniform
 * densities on (0, a] (Stephens 2017). The EM algorithm finds the shares of the mixture and of the null candidates.
 *
 * All p-values up to CUT are one bin, and only these are found. So the threshold does not depend on how small the p-value of a found string is.
 */

/** Candidates with a larger p-value are not found. */
export const CUT = 0.2;
/** The bins of z = Φ^-1(1 - p). The first begins at -∞, and the last is from CUT's z to ∞. */
const [LEAST, BIN] = [-5.9, 0.1];
const LAST: number = normalQuantile(CUT);
/** a, of each uniform density. */
const WIDTHS = [0.5, 1, 2, 4, 8] as const;
/**
 * EM starts with nearly all candidates null, and counts one more null candidate than there are. After so few steps the estimate is still too
 * large where rare strings are hard to tell from null candidates.
 */
const [STEPS, NULLS, PSEUDO_COUNTS] = [300, 0.9, 1];

/** The upper ends of all bins but the last. */
const ENDS: readonly number[] = [...Array.from({ length: Math.round((LAST - LEAST) / BIN) }, (_, i) => LEAST + i * BIN), LAST];
const P_VALUES: readonly number[] = [...ENDS.slice(0, -1).map(normalTail), CUT];

/** ∫ Φ(t) dt up to x. */
const integral = (x: number): number => x * normalTail(-x) + Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);

/** P(z in the bin) of each bin, where z is below x with this probability. */
function binned(below: (x: number) => number): readonly number[] {
  const until = [...ENDS.map(below), 1];
  return until.map((here, i) => here - (until[i - 1] ?? 0));
}

const OF_NULLS = binned((x) => normalTail(-x));
const PARTS: number = WIDTHS.length + 1;
/** By bin and part of the mixture, of which the first is the null one: how much likelier the bin is than for a null candidate. */
const RATIOS: Float64Array = new Float64Array(PARTS * OF_NULLS.length).fill(1);
for (const [part, width] of WIDTHS.entries()) {
  const law = binned((x) => (integral(x) - integral(x - width)) / width);
  for (const [bin, chance] of law.entries()) RATIOS[bin * PARTS + part + 1] = chance / (OF_NULLS[bin] as number);
}

/** The estimated number of null candidates. `upTo` is the number of p-values that are at most this. */
export function nullCount(all: number, upTo: (p: number) => number): number {
  const above = P_VALUES.map((p) => all - upTo(p));
  const counts = [...above.map((here, bin) => here - (above[bin - 1] ?? 0)), all - (above.at(-1) as number)];
  let weights = Float64Array.from({ length: PARTS }, (_, part) => (part === 0 ? NULLS : (1 - NULLS) / WIDTHS.length));
  let next = new Float64Array(PARTS);
  for (let step = 0; step < STEPS; step++) {
    next.fill(0);
    next[0] = PSEUDO_COUNTS;
    for (let bin = 0; bin < counts.length; bin++) {
      if (counts[bin] === 0) continue;
      const from = bin * PARTS;
      let density = 0;
      for (let part = 0; part < PARTS; part++) density += (weights[part] as number) * (RATIOS[from + part] as number);
      const scale = (counts[bin] as number) / density;
      for (let part = 0; part < PARTS; part++)
        next[part] = (next[part] as number) + (weights[part] as number) * (RATIOS[from + part] as number) * scale;
    }
    for (let part = 0; part < PARTS; part++) next[part] = (next[part] as number) / (all + PSEUDO_COUNTS);
    [weights, next] = [next, weights];
  }
  return Math.min(all, (weights[0] as number) * (all + PSEUDO_COUNTS));
}
