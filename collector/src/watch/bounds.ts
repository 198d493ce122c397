/**
 * Bounds that hold whatever the answers are, for one cell and for one answer at a time. Each is a test by itself, valid for
 * any number of reports; the least of them is multiplied by their number (Bonferroni).
 *
 * A report sets a cell with a probability from a low to a high one, whoever sends it. So of n reports fewer than n low or
 * more than n high do with probability at most exp(-n KL) (Hoeffding 1963, theorem 1). The same holds for an answer, which a
 * report supports with probability q to p; an answer that the design has and the list does not is supported with q alone.
 * Reports of one device on T days count as one: the bounds hold for n/T.
 */

import { MODULUS, type Support } from '@murmuration/shared';
import type { Rows } from '../estimators/rows.ts';
import type { Tallies } from '../store/store.ts';

/** Between which probabilities a report of a cohort sets a cell; undefined where the cohort has no such cell. */
export type Bounds = (cohort: number, cell: number) => Support | undefined;

/** The same for every cell: of a report's cells together P(1 | the answer's) and P(1 | another), as the law's own support has them. */
export const ofSupport =
  (support: Support): Bounds =>
  () =>
    support;

/** Where one set of the outputs is likelier than the others, and each output is in some answer's set. */
export const inSets = (inside: number, set: number, outputs: number): Bounds =>
  ofSupport({ p: inside / MODULUS / set, q: (1 - inside / MODULUS) / (outputs - set) });

/** The least and the most of each output's column. */
export const ofRows = (rows: Rows): Bounds => {
  const all = (rows[0] as readonly number[]).map((_, output) => {
    const column = rows.map((row) => row[output] as number);
    return { p: Math.max(...column), q: Math.min(...column) };
  });
  return (_cohort, cell) => all[cell];
};

/** n KL(c ‖ p) of shares, the exponent of a binomial tail's bound; 0 where c = p. */
function divergence(c: number, p: number): number {
  const term = (a: number, b: number): number => (a > 0 ? a * Math.log(a / b) : 0); // rounding may leave less than 0
  return Math.max(0, term(c, p) + term(1 - c, 1 - p));
}

/** KL of a share outside its bounds; 0 within. */
export const outside = (share: number, { p, q }: Support): number =>
  share < q ? divergence(share, q) : share > p ? divergence(share, p) : 0;

/** Balance of cells: the least bound of all cells, both sides. */
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
