/**
 * Tests of one cell or one answer at a time that hold whatever the answers are. Each is a valid test for any number of reports. The least
 * p-value is multiplied by their number (Bonferroni).
 *
 * A report sets a cell with a probability between a low and a high value, whoever sends it. So a share of n reports that is below low or
 * above high has probability at most exp(-n KL) (Hoeffding 1963, theorem 1). The same holds for an answer, which a report supports with
 * probability q to p. An answer that is in the design but not in the list is supported with probability q only. Reports of one device on T
 * days count as one: the bounds hold for n/T.
 */

import { MODULUS, type Support } from '@murmuration/shared';
import type { Rows } from '../matrices.ts';
import type { Tallies } from '../tally.ts';

/** The least and the greatest probability that a report of a cohort sets a cell; undefined where the cohort has no such cell. */
export type Bounds = (cohort: number, cell: number) => Support | undefined;

/** The same bounds for every cell: P(1 | the answer's cell) and P(1 | another cell), from the law's support. */
export const boundsOfSupport =
  (support: Support): Bounds =>
  () =>
    support;

/** Bounds where each answer has a set of likelier outputs, and each output is in the set of some answer. */
export const inSets = (inside: number, set: number, outputs: number): Bounds =>
  boundsOfSupport({ p: inside / MODULUS / set, q: (1 - inside / MODULUS) / (outputs - set) });

/** The least and the greatest entry of each output's column. */
export const ofRows = (rows: Rows): Bounds => {
  const all = (rows[0] as readonly number[]).map((_, output) => {
    const column = rows.map((row) => row[output] as number);
    return { p: Math.max(...column), q: Math.min(...column) };
  });
  return (_cohort, cell) => all[cell];
};

/** n KL(c ‖ p), the exponent in the bound of a binomial tail; 0 where c = p. */
function divergence(c: number, p: number): number {
  const term = (a: number, b: number): number => (a > 0 ? a * Math.log(a / b) : 0); // rounding may give slightly less than 0
  return Math.max(0, term(c, p) + term(1 - c, 1 - p));
}

/** KL of a share outside its bounds; 0 within them. */
export const outside = (share: number, { p, q }: Support): number =>
  share < q ? divergence(share, q) : share > p ? divergence(share, p) : 0;

type Numbers = readonly number[] | Float64Array;

/**
 * The p-value of counts whose chances are known. With K classes and x = n KL(counts ‖ chances), E exp(t x) <= (1 - t)^(1-K) for every n
 * (Agrawal 2020, IEEE Transactions on Information Theory 66:6297, theorem 1.2), so P(x or more) <= exp(K - 1 - x) (x / (K - 1))^(K-1). That
 * finds what is uneven everywhere. Each class on its own finds one report that comes again and again. Reports of one device on T days are a
 * mixture of n/T reports counted T times each, and KL is convex, so n/T bounds hold (Hoeffding 1963, §5).
 *
 * @returns undefined without two classes or reports
 */
export function chancesPValue(counts: Numbers, chances: Numbers, perDevice: number): number | undefined {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += counts[i] as number;
  const degrees = counts.length - 1;
  if (degrees < 1 || total === 0) return undefined;
  let [all, most, count, chance, part] = [0, 0, Number.NaN, 0, 0];
  for (let i = 0; i < counts.length; i++) {
    // There may be a million classes, nearly all without a report: those say the same as the one before.
    if (counts[i] !== count || chances[i] !== chance) {
      [count, chance] = [counts[i] as number, chances[i] as number];
      const share = count / total;
      part = share > 0 ? share * Math.log(share / chance) : 0;
      most = Math.max(most, divergence(share, chance));
    }
    all += part;
  }
  const devices = total / perDevice;
  const x = devices * all;
  const together = x <= degrees ? 1 : Math.exp(degrees - x + degrees * Math.log(x / degrees));
  return Math.min(1, 2 * together, 4 * counts.length * Math.exp(-devices * most));
}

/**
 * A bound on the p-value of deficits: a cell that is set with probability at least q falls short of n q by z standard deviations, and the
 * sum of all z² is tested. Given the answers, counts of cells are negatively associated: bits are independent, and sets of a fixed size and
 * symbols are so by Joag-Dev and Proschan 1983, §3. So E exp(s Σ z²) is at most the product over cells. A cell's factor is at most
 * 1/2 + 1/2 (1 - 2s)^(-1/2), that of a normal deficit, for q up to 1/2 (enumerated). Chernoff's bound follows. This finds reports of one
 * answer by all the rare answers that they take reports from.
 */
export function deficitsPValue(squares: number, cells: number): number {
  const at = (s: number): number => cells * Math.log(0.5 + 0.5 / Math.sqrt(1 - 2 * s)) - s * squares;
  let [low, high] = [0, 0.5];
  for (let step = 0; step < 60; step++) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(left) < at(right)) high = right;
    else low = left;
  }
  return Math.exp(Math.min(0, at(low)));
}

/** The p-value of the cells: the least bound over all cells and both sides, or that of all deficits together. */
export function cellsPValue(at: Bounds, tallies: Tallies, perDevice: number): number | undefined {
  let [most, cells, squares] = [0, 0, 0];
  for (const [cohort, { reports, cells: counts }] of tallies) {
    // There may be a million cells, nearly all without a report, so what a count says is kept for the next cell.
    let [support, count, bound, square]: [Support | undefined, number, number, number] = [undefined, 0, 0, 0];
    for (let cell = 0; cell < counts.length; cell++) {
      const own = at(cohort, cell);
      if (own === undefined) break;
      cells++;
      if (own !== support || count !== counts[cell]) {
        [support, count] = [own, counts[cell] as number];
        bound = (reports / perDevice) * outside(count / reports, own);
        const expected = reports * Math.min(0.5, own.q);
        square = count < expected ? (count - expected) ** 2 / (expected * (1 - expected / reports) * perDevice) : 0;
      }
      if (bound > most) most = bound;
      squares += square;
    }
  }
  return cells === 0 ? undefined : Math.min(1, 4 * cells * Math.exp(-most), 2 * deficitsPValue(squares, cells));
}

/**
 * The reach of one report in an estimate that is a mean of scores (watch.ts): its largest and its least score, for a share or a relative
 * position in the range (both from 0 to 1).
 */
export interface Leverage {
  readonly low: number;
  readonly high: number;
  /** The share of honest reports from which an estimate is made. */
  readonly drawn: number;
}

/** The reach given all scores. */
export function ends(scores: Iterable<number>, drawn = 1): Leverage {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  return { low, high, drawn };
}

/** The reach for an answer that is estimated from the reports supporting it. */
export const leverageOfSupport = ({ p, q }: Support, drawn = 1): Leverage => ends([-q / (p - q), (1 - q) / (p - q)], drawn);
