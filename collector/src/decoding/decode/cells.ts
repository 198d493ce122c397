/**
 * Cells and their map made ready for fits. A cell as a share is how much of a cohort sets it, free of the coins' bias, with its precision.
 *
 * A cell that the share s of a cohort's strings sets is reported with probability r = p* + (q* - p*) s. So t = (C / N - p*) / (q* - p*)
 * estimates s without bias. Over coins and strings, its variance is V = r (1 - r) / (N (q* - p*)²). Weights are 1 / V.
 *
 * Fields of cells have k + 1 numbers for each cohort. The last is 0, and so is the whole row of a cohort without reports: the place that
 * means "nowhere" adds nothing to a sum, and no sum needs a test.
 */

import type { CellCounts, CellMap } from './evidence.ts';

/** A number for each cell, at c * (k + 1) + j. */
export type Field = Float64Array;

/** Observed cells. */
export interface Observed {
  /** k + 1. */
  readonly width: number;
  /** The cells of cohorts with reports. */
  readonly live: number;
  /** These less one for each cohort: a cohort's strings add up to the same whatever they are, so that the mean of its cells says nothing. */
  readonly freedom: number;
  /** t. */
  readonly shares: Field;
  /** The mean share of a cell over all reports. */
  readonly mean: number;
}

/** Debiases the counts. */
export function observe({ cohorts, cells, reports, counts, inside, outside }: CellCounts): Observed {
  const width = cells + 1;
  const shares = new Float64Array(cohorts * width);
  let [live, freedom, total, set] = [0, 0, 0, 0];
  for (let c = 0; c < cohorts; c++) {
    const here = reports[c] as number;
    if (here === 0) continue;
    live += cells;
    freedom += cells - 1;
    total += here;
    for (let j = 0; j < cells; j++) {
      const count = counts[c * cells + j] as number;
      set += count;
      shares[c * width + j] = (count / here - outside) / (inside - outside);
    }
  }
  return {
    width,
    live,
    freedom: Math.max(1, freedom),
    shares,
    mean: total === 0 ? 0 : (set / (total * cells) - outside) / (inside - outside),
  };
}

/** Weights of the cells, and the weight that a cell would have at another share. */
export interface Weighing {
  readonly weights: Field;
  readonly at: (cell: number, share: number) => number;
}

/**
 * 1 / V, at these shares. Rates lie in [p*, q*]. Where that is [0, 1] or nearly so, a rate nearer to 0 or 1 than half a report of all is taken
 * to be that far from it. Half a report of the cohort would be far too much where cohorts have few reports.
 *
 * `spread` is the variance of a cell over that of the coins, on average. What goes beyond the coins is the same in all cells, for it comes from
 * strings in random cells: it is added to each cell's own variance.
 */
export function weighing(
  { cohorts, cells, reports, inside, outside }: CellCounts,
  { live }: Pick<Observed, 'live'>,
  shareAt: (cell: number) => number,
  spread: number,
): Weighing {
  const width = cells + 1;
  const gain = (inside - outside) ** 2;
  const half = 0.5 / reports.reduce((sum, here) => sum + here, 0);
  const weights = new Float64Array(cohorts * width);
  const bare = (here: number, share: number): number => {
    const least = Math.min(0.5 / here, Math.max(outside, half));
    const most = Math.max(1 - 0.5 / here, Math.min(inside, 1 - half), 0.5);
    const rate = Math.min(Math.max(outside + (inside - outside) * Math.min(1, Math.max(0, share)), least), most);
    return (here * gain) / (rate * (1 - rate));
  };
  for (let c = 0; c < cohorts; c++) {
    const here = reports[c] as number;
    if (here === 0) continue;
    for (let at = c * width; at < c * width + cells; at++) weights[at] = bare(here, shareAt(at));
  }
  const added = ((spread - 1) * live) / sumOf(weights);
  const plus = (weight: number): number => weight / (1 + added * weight);
  for (let i = 0; i < weights.length; i++) weights[i] = plus(weights[i] as number);
  return { weights, at: (cell, share) => plus(bare(reports[Math.floor(cell / width)] as number, share)) };
}

/** Σ w of each cohort. */
export function cohortSums(weights: Field, width: number): Float64Array {
  const totals = new Float64Array(weights.length / width);
  for (let i = 0; i < weights.length; i++)
    totals[Math.floor(i / width)] = (totals[Math.floor(i / width)] as number) + (weights[i] as number);
  return totals;
}

/** Σ w. */
export function sumOf(weights: Field): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i] as number;
  return sum;
}

/** Σ w x / Σ w. */
export function weightedMean(weights: Field, values: Field): number {
  let [sum, all] = [0, 0];
  for (let i = 0; i < weights.length; i++) {
    sum += (weights[i] as number) * (values[i] as number);
    all += weights[i] as number;
  }
  return sum / all;
}

/** Subtracts the weighted mean from the live cells. */
export function centre(weights: Field, values: Field): void {
  const mean = weightedMean(weights, values);
  for (let i = 0; i < values.length; i++) if ((weights[i] as number) > 0) values[i] = (values[i] as number) - mean;
}

/** Subtracts each cohort's own weighted mean from its cells. */
export function centreCohorts(weights: Field, values: Field, width: number): void {
  for (let from = 0; from < values.length; from += width) {
    if (weights[from] === 0) continue;
    let [sum, all] = [0, 0];
    for (let i = from; i < from + width; i++) {
      sum += (weights[i] as number) * (values[i] as number);
      all += weights[i] as number;
    }
    const mean = sum / all;
    for (let i = from; i < from + width - 1; i++) values[i] = (values[i] as number) - mean;
  }
}

/** Cells and map made ready for fits: centred cells, their weights, and each candidate's information. */
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
export function informationOf(map: Places, weights: Field): Float64Array {
  const { candidates, hashes, places, cohorts, width } = map;
  const information = new Float64Array(candidates);
  const totals = cohortSums(weights, width);
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

/** Weighs the cells at these shares. */
export function problemAt(counts: CellCounts, places: Places, observed: Observed, shareAt: (cell: number) => number, spread = 1): Problem {
  const { weights } = weighing(counts, observed, shareAt, spread);
  const all = sumOf(weights);
  const root = informationOf(places, weights).map((information) => (information > NOTHING * all ? Math.sqrt(information) : 0));
  const centred = observed.shares.slice();
  centre(weights, centred);
  const excess = counts.isExclusive ? counts.cells / (counts.cells - 1) : 1;
  return { places, observed, weights, centred, root, excess, spread };
}

// The two products with the map, which are nearly all of a decode's time: sums over a candidate's cells, and sums over a cell's candidates.

/** A map with the shape of its fields. */
export interface Places extends CellMap {
  readonly cohorts: number;
  /** k + 1. */
  readonly width: number;
}

/** Some candidates: the first `length` of `list`; undefined for all. */
export interface Some {
  readonly list: Int32Array;
  readonly length: number;
}

/** For each candidate, the sum of the field over its cells, put at its place in `into`. */
export function gather({ candidates, hashes, places, cohorts, width }: Places, field: Field, into: Float64Array, some?: Some): void {
  const row = cohorts * hashes;
  const end = cohorts * width;
  const length = some?.length ?? candidates;
  for (let i = 0; i < length; i++) {
    const v = some === undefined ? i : (some.list[i] as number);
    let at = v * row;
    let sum = 0;
    if (hashes === 1) {
      for (let offset = 0; offset < end; offset += width) sum += field[offset + (places[at++] as number)] as number;
    } else {
      for (let offset = 0; offset < end; offset += width) {
        for (let h = 0; h < hashes; h++) sum += field[offset + (places[at++] as number)] as number;
      }
    }
    into[v] = sum;
  }
}

/** For each cell, the sum of these candidates' shares over those that set it. Overwrites the field; its last column has no meaning. */
export function scatter({ hashes, places, cohorts, width }: Places, shares: Float64Array, field: Field, some: Some): void {
  const row = cohorts * hashes;
  const end = cohorts * width;
  field.fill(0);
  for (let i = 0; i < some.length; i++) {
    const v = some.list[i] as number;
    const share = shares[v] as number;
    if (share === 0) continue;
    let at = v * row;
    for (let offset = 0; offset < end; offset += width) {
      for (let h = 0; h < hashes; h++) {
        const cell = offset + (places[at++] as number);
        field[cell] = (field[cell] as number) + share;
      }
    }
  }
}
