/**
 * Cells as shares: how much of a cohort sets a cell, free of the coins' bias, and how exactly that is known.
 *
 * A cell that the share s of a cohort's strings sets is reported with probability r = p* + (q* - p*) s. So t = (C / N - p*) / (q* - p*)
 * estimates s without bias. Over coins and strings, its variance is V = r (1 - r) / (N (q* - p*)²). Weights are 1 / V.
 *
 * Fields of cells have k + 1 numbers for each cohort. The last is 0, and so is the whole row of a cohort without reports: the place that
 * means "nowhere" (evidence.ts) adds nothing to a sum, and no sum needs a test.
 */

import type { CellCounts } from './evidence.ts';

/** A number for each cell, at c * (k + 1) + j. */
export type Field = Float64Array;

/** What was observed. */
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

/**
 * 1 / V, at these shares. Rates lie in [p*, q*]. Where that is [0, 1] or nearly so, a rate nearer to 0 or 1 than half a report of all is taken
 * to be that far from it. Half a report of the cohort would be far too much where cohorts have few reports.
 */
export function weighed({ cohorts, cells, reports, inside, outside }: CellCounts, shareAt: (cell: number) => number): Field {
  const width = cells + 1;
  const weights = new Float64Array(cohorts * width);
  const gain = (inside - outside) ** 2;
  const half = 0.5 / reports.reduce((sum, here) => sum + here, 0);
  for (let c = 0; c < cohorts; c++) {
    const here = reports[c] as number;
    if (here === 0) continue;
    const least = Math.min(0.5 / here, Math.max(outside, half));
    const most = Math.max(1 - 0.5 / here, Math.min(inside, 1 - half), 0.5);
    for (let at = c * width; at < c * width + cells; at++) {
      const share = Math.min(1, Math.max(0, shareAt(at)));
      const rate = Math.min(Math.max(outside + (inside - outside) * share, least), most);
      weights[at] = (here * gain) / (rate * (1 - rate));
    }
  }
  return weights;
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
