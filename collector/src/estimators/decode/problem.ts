/** Cells and map made ready for fits: centred cells, their weights, and each candidate's information. */

import { centre, type Field, type Observed, sumOf, weighed } from './cells.ts';
import type { CellCounts } from './evidence.ts';
import { gather, type Places } from './sums.ts';

export interface Problem {
  readonly places: Places;
  readonly observed: Observed;
  /** 1 / V. */
  readonly weights: Field;
  /** t less its weighted mean, which takes up the mean of whatever no candidate explains. */
  readonly centred: Field;
  /** For each candidate √a. a = Σ w - (Σ w)² / W over its cells, and 1 / a is the variance of an estimate that nothing disturbs. */
  readonly root: Float64Array;
}

/** Less than this part of all weight is no information: the candidate sets every cell. */
const NOTHING = 1e-9;

/** Weighs the cells at these shares. */
export function problemAt(counts: CellCounts, places: Places, observed: Observed, shareAt: (cell: number) => number): Problem {
  const weights = weighed(counts, shareAt);
  const all = sumOf(weights);
  const root = new Float64Array(places.candidates);
  gather(places, weights, root);
  for (let v = 0; v < root.length; v++) {
    const own = root[v] as number;
    const information = own - (own * own) / all;
    root[v] = information > NOTHING * all ? Math.sqrt(information) : 0;
  }
  const centred = observed.shares.slice();
  centre(weights, centred);
  return { places, observed, weights, centred, root };
}
