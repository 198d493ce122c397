/**
 * The fits of hashed candidates: linear ones first, and then, where residuals vary more than coins explain, fits by the residuals' score. From
 * a fit that knows nothing the score would lock on to any pattern. So it begins with a coarse scale and refines it, each fit starting from the
 * one before.
 */

import { type Observed, weightedMean } from './cells.ts';
import type { CellCounts } from './evidence.ts';
import { beginning, type Fit, messagePassing } from './message-passing.ts';
import { type Problem, problemAt } from './problem.ts';
import { type Places, scatter } from './sums.ts';

export interface Fitted {
  readonly problem: Problem;
  readonly fit: Fit;
}

const STEPS = 40;
const RUNG_STEPS = 12;
const [COARSEST, FINER, NEAR_ONE, WIDEST] = [1.5, 1.8, 1.3, 6];
/** What a fit by score must be like to be kept. */
const [LEAST_KAPPA, MOST_CROWDING, LEAST_CELLS] = [0.5, 0.6, 100];
const MOST_CHANGE = 4;
/** Its standard errors must be smaller by this factor; the score learns its law from the same data, so small gains are none. */
const LEAST_GAIN = 1.1;

/** Beyond these a linear fit is overloaded: it follows its own noise. */
const [OVERLOADED, UNSETTLED] = [0.4, 2];

export const isOverloaded = ({ crowding, change }: Fit): boolean => !(crowding <= OVERLOADED && change <= UNSETTLED);

/** The share of each cell according to a fit. */
export function sharesOf({ places, observed, weights }: Problem, { shares }: Fit): (cell: number) => number {
  const some: number[] = [];
  for (let v = 0; v < shares.length; v++) if (shares[v] !== 0) some.push(v);
  const fitted = new Float64Array(weights.length);
  scatter(places, shares, fitted, { list: Int32Array.from(some), length: some.length });
  const rest = weightedMean(weights, observed.shares) - weightedMean(weights, fitted);
  return (cell) => rest + (fitted[cell] as number);
}

/**
 * The standard error of a candidate, times √a. A score's φ is a bound where its mean square is lower; the error is between what both say. In a
 * linear fit they are the same.
 */
export const errorOf = ({ dispersion, measured, kappa }: Fit): number => (Math.sqrt(dispersion) / kappa) * (measured / dispersion) ** 0.25;

/** The scales of the score, from coarse to fine, in standard errors of a cell. */
function rungs(dispersion: number): readonly number[] {
  const spread = Math.sqrt(dispersion);
  const found: number[] = [];
  for (let scale = spread / COARSEST; scale > Math.max(NEAR_ONE, spread / WIDEST); scale /= FINER) found.push(scale);
  return [...found, Math.max(1, spread / WIDEST)];
}

/** A fit by score, from a linear one; undefined where the score is of no use. */
function annealed(counts: CellCounts, linear: Fitted): Fitted | undefined {
  let last = linear;
  let kept: number | undefined;
  for (const scale of rungs(linear.fit.dispersion)) {
    const fit = messagePassing(last.problem, last.fit, { steps: RUNG_STEPS, scale });
    if (fit.kappa < LEAST_KAPPA || fit.crowding > MOST_CROWDING || last.problem.observed.freedom * fit.kappa < LEAST_CELLS) break;
    const { places, observed } = last.problem;
    last = { problem: problemAt(counts, places, observed, sharesOf(last.problem, fit)), fit };
    kept = scale;
  }
  if (kept === undefined) return undefined;
  const fit = messagePassing(last.problem, last.fit, { steps: STEPS, scale: kept }, last.fit.prior);
  return fit.crowding <= OVERLOADED && fit.change <= MOST_CHANGE ? { problem: last.problem, fit } : undefined;
}

interface Annealed extends Fitted {
  readonly isScored: boolean;
}

/** The best fit of hashed candidates. */
export function fitted(counts: CellCounts, places: Places, observed: Observed): Annealed {
  const first = problemAt(counts, places, observed, () => observed.mean);
  const rough = messagePassing(first, beginning(first), { steps: STEPS });
  const problem = problemAt(counts, places, observed, sharesOf(first, rough));
  const linear = { problem, fit: messagePassing(problem, rough, { steps: STEPS }, rough.prior) };
  // A score's standard error is at least that of the coins alone; and from a fit that diverged there is no way back.
  const mayGain = linear.fit.dispersion >= LEAST_GAIN ** 2 && linear.fit.crowding <= 1;
  const scored = mayGain ? annealed(counts, linear) : undefined;
  const gains = scored !== undefined && errorOf(linear.fit) >= LEAST_GAIN * errorOf(scored.fit);
  return gains ? { ...scored, isScored: true } : { ...linear, isScored: false };
}

/** Where there are too many strong candidates to fit them all: only those are fitted whose normal variable is at least `bar`. */
export function cautiously(counts: CellCounts, places: Places, observed: Observed, bar: number): Fitted {
  const options = { steps: STEPS, bar };
  const first = problemAt(counts, places, observed, () => observed.mean);
  const rough = messagePassing(first, beginning(first), options);
  const problem = problemAt(counts, places, observed, sharesOf(first, rough));
  return { problem, fit: messagePassing(problem, rough, options) };
}
