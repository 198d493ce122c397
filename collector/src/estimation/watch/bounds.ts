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

/** The p-value of the cells: the least bound over all cells and both sides. */
export function cellsPValue(at: Bounds, tallies: Tallies, perDevice: number): number | undefined {
  let [most, cells] = [0, 0];
  for (const [cohort, { reports, cells: counts }] of tallies) {
    for (let cell = 0; cell < counts.length; cell++) {
      const support = at(cohort, cell);
      if (support === undefined) break;
      cells++;
      most = Math.max(most, (reports / perDevice) * outside((counts[cell] as number) / reports, support));
    }
  }
  return cells === 0 ? undefined : Math.min(1, 2 * cells * Math.exp(-most));
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
