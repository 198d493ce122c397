/**
 * The fits of hashed candidates: linear ones first, and then, where residuals vary more than coins explain, fits by the residuals' score. From
 * a fit that knows nothing the score would lock on to any pattern. So it begins with a coarse scale and refines it, each fit starting from the
 * one before.
 */

import { type Observed, type Places, type Problem, problemAt, scatter, sumOf, weightedMean } from './cells.ts';
import type { CellCounts, DecodeInput } from './evidence.ts';
import { beginning, type Fit, messagePassing } from './message-passing.ts';

type OnStep = DecodeInput['onStep'];

export interface Fitted {
  readonly problem: Problem;
  readonly fit: Fit;
}

/** How long a fit goes on, at most. What only starts another need not settle. */
const [FULLY, ROUGHLY, RUNG] = [
  { steps: 40, settled: 0.01 },
  { steps: 40, settled: 0.1 },
  { steps: 12, settled: 0.1 },
];
const [COARSEST, FINER, NEAR_ONE, WIDEST] = [1.5, 1.8, 1.3, 12];
/** Requirements for a fit by score. */
const [LEAST_KAPPA, MOST_CROWDING, LEAST_CELLS] = [0.4, 1, 60];
const [MOST_SETTLED, MOST_CHANGE] = [0.75, 4];
/** The score takes a cell's error to be normal: counts at the mean rate must be as large as this. */
const LEAST_COUNT = 5;
/** Its standard errors must be smaller by this factor; the score learns its law from the same data, so small gains are none. */
const LEAST_GAIN = 1.1;

/** Beyond this a linear fit is overloaded. */
export const UNSETTLED = 2;
/** The most crowding of a linear fit: up to so many candidates a cell, and of longer lists. Beyond, it follows its own noise. */
const [SHORT, MOST_IN_SHORT, MOST_IN_LONG] = [3, 0.75, 0.3];

export function isOverloaded({ problem: { places, observed }, fit: { crowding, change } }: Fitted): boolean {
  const most = places.candidates <= SHORT * observed.freedom ? MOST_IN_SHORT : MOST_IN_LONG;
  return !(crowding <= most && change <= UNSETTLED);
}

/** The share of each cell according to a fit. */
export function sharesOf({ places, observed, weights }: Problem, { shares }: Fit): (cell: number) => number {
  const some: number[] = [];
  for (let v = 0; v < shares.length; v++) if (shares[v] !== 0) some.push(v);
  const fitted = new Float64Array(weights.length);
  scatter(places, shares, fitted, { list: Int32Array.from(some), length: some.length });
  const rest = weightedMean(weights, observed.shares) - weightedMean(weights, fitted);
  return (cell) => rest + (fitted[cell] as number);
}

/** The scales of the score, from coarse to fine, in standard errors of a cell. */
function rungs(dispersion: number): readonly number[] {
  const spread = Math.sqrt(dispersion);
  const found: number[] = [];
  for (let scale = spread / COARSEST; scale > Math.max(NEAR_ONE, spread / WIDEST); scale /= FINER) found.push(scale);
  return [...found, Math.max(1, spread / WIDEST)];
}

/** The typical standard error of a cell's share, as a fit leaves it. */
const typicalError = ({ problem, fit }: Fitted): number => fit.error * Math.sqrt(problem.observed.live / sumOf(problem.weights));

/** A fit by score, from a linear one; undefined where the score is of no use. */
function annealed(counts: CellCounts, places: Places, observed: Observed, linear: Fitted, onStep: OnStep): Fitted | undefined {
  let last = linear;
  let kept: number | undefined;
  for (const scale of rungs(linear.fit.dispersion * linear.problem.spread)) {
    const problem = problemAt(counts, places, observed, sharesOf(last.problem, last.fit), scale ** 2);
    const fit = messagePassing(problem, last.fit, { ...RUNG, isScored: true, onStep });
    if (fit.kappa < LEAST_KAPPA || fit.crowding > MOST_CROWDING || observed.freedom * fit.kappa < LEAST_CELLS) break;
    last = { problem, fit };
    kept = scale;
  }
  if (kept === undefined || typicalError(last) > typicalError(linear)) return undefined;
  const problem = problemAt(counts, places, observed, sharesOf(last.problem, last.fit), kept ** 2);
  const fit = messagePassing(problem, last.fit, { ...FULLY, isScored: true, onStep }, last.fit.prior);
  return fit.crowding <= MOST_SETTLED && fit.change <= MOST_CHANGE ? { problem, fit } : undefined;
}

interface Annealed extends Fitted {
  readonly isScored: boolean;
}

/** The count of a cell at the mean rate, or what is left of its cohort's reports if that is smaller. */
function countOf({ cells, reports, inside, outside }: CellCounts, { live, mean }: Observed): number {
  const rate = outside + (inside - outside) * mean;
  return (reports.reduce((sum, here) => sum + here, 0) * cells * Math.min(rate, 1 - rate)) / live;
}

/** The best fit of hashed candidates. */
export function fitted(counts: CellCounts, places: Places, observed: Observed, onStep?: OnStep): Annealed {
  const first = problemAt(counts, places, observed, () => observed.mean);
  const rough = messagePassing(first, beginning(first), { ...ROUGHLY, onStep });
  const problem = problemAt(counts, places, observed, sharesOf(first, rough), Math.max(1, rough.dispersion));
  const linear = { problem, fit: messagePassing(problem, rough, { ...FULLY, onStep }, rough.prior) };
  // A score's standard error is at least that of the coins alone; and from a fit that diverged there is no way back.
  const mayGain =
    countOf(counts, observed) >= LEAST_COUNT && linear.fit.dispersion * problem.spread >= LEAST_GAIN ** 2 && linear.fit.crowding <= 1;
  const scored = mayGain ? annealed(counts, places, observed, linear, onStep) : undefined;
  const gains = scored !== undefined && typicalError(linear) >= LEAST_GAIN * typicalError(scored);
  return gains ? { ...scored, isScored: true } : { ...linear, isScored: false };
}

/** Where there are too many strong candidates to fit them all: only those are fitted whose normal variable is at least `bar`. */
export function cautiously(counts: CellCounts, places: Places, observed: Observed, bar: number, onStep?: OnStep): Fitted {
  const options = { ...FULLY, bar, onStep };
  const first = problemAt(counts, places, observed, () => observed.mean);
  const rough = messagePassing(first, beginning(first), options);
  const problem = problemAt(counts, places, observed, sharesOf(first, rough));
  return { problem, fit: messagePassing(problem, rough, options) };
}
