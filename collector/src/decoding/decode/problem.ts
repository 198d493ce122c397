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
  /** For each candidate √a, of which 1 / a is the variance of an estimate that nothing disturbs. */
  readonly root: Float64Array;
  /** By how much the variance of such an estimate is larger because cells of a cohort add up to its reports (evidence.ts): 1 if they do not. */
  readonly excess: number;
  readonly spread: number;
}

/** Less than this part of all weight is no information: the candidate sets every cell. */
const NOTHING = 1e-9;

/** a = Σ_c (Σ w - (Σ w)² / W), over a candidate's cells of each cohort, of which W is the weight of all cells. */
function informationOf(map: Places, weights: Field): Float64Array {
  const { candidates, hashes, places, cohorts, width } = map;
  const information = new Float64Array(candidates);
  const totals = new Float64Array(cohorts);
  for (let i = 0; i < weights.length; i++)
    totals[Math.floor(i / width)] = (totals[Math.floor(i / width)] as number) + (weights[i] as number);
  const partOf = (own: number, c: number): number => (own === 0 ? 0 : own - (own * own) / (totals[c] as number));
  if (hashes === 1) {
    const parts = weights.map((weight, i) => partOf(weight, Math.floor(i / width)));
    gather(map, parts, information);
    return information;
  }
  for (let v = 0; v < candidates; v++) {
    let at = v * cohorts * hashes;
    let sum = 0;
    for (let c = 0; c < cohorts; c++) {
      let own = 0;
      for (let h = 0; h < hashes; h++) own += weights[c * width + (places[at++] as number)] as number;
      sum += partOf(own, c);
    }
    information[v] = sum;
  }
  return information;
}

/**
 * Weighs the cells at these shares. `spread` is the variance of a cell over that of the coins, on average. What goes beyond the coins is the
 * same in all cells, for it comes from strings in random cells: it is added to each cell's own variance.
 */
export function problemAt(counts: CellCounts, places: Places, observed: Observed, shareAt: (cell: number) => number, spread = 1): Problem {
  const weights = weighed(counts, shareAt);
  const added = ((spread - 1) * observed.live) / sumOf(weights);
  for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] as number) / (1 + added * (weights[i] as number));
  const all = sumOf(weights);
  const root = informationOf(places, weights).map((information) => (information > NOTHING * all ? Math.sqrt(information) : 0));
  const centred = observed.shares.slice();
  centre(weights, centred);
  const excess = counts.isExclusive ? counts.cells / (counts.cells - 1) : 1;
  return { places, observed, weights, centred, root, excess, spread };
}
