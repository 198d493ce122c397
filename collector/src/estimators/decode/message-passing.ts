/**
 * Shares of all candidates at once, by approximate message passing with a learned prior (Donoho, Maleki, Montanari 2009; Rangan 2011 for the
 * score; the prior as in Feng et al. 2022, §3.2).
 *
 * Each step estimates every candidate from the residual that the others leave, u = b + x'(w ψ(r)) / (a κ). The term with ψ's own candidates in
 * it (Onsager) keeps the errors of u normal, with one standard error τ = √(φ / a) / κ for all: φ is what the residuals vary by. Then the
 * prior is learned from z = u / τ, and b becomes its posterior mean. With the identity for ψ this is the linear fit. With the score of the
 * residuals' own law (residual-score.ts) it also sees past strings that are on no list.
 *
 * Most candidates of a long list are faint: their posterior mean is 0. Only each eighth step looks at them again.
 */

import { centre, centreCohorts, type Field } from './cells.ts';
import { cumulantsOf, normalAt, nullLaw, ROUGHLY } from './null-law.ts';
import type { Problem } from './problem.ts';
import { at, residualScore } from './residual-score.ts';
import {
  certainAbove,
  count,
  emptyHistogram,
  flat,
  learn,
  meanAt,
  posteriorOf,
  STRAIGHT,
  slopeAt,
  type Warp,
  type Weights,
  warpBy,
} from './signals.ts';
import { gather, type Some, scatter } from './sums.ts';

/** Where a fit begins. */
export interface Start {
  readonly shares: Float64Array;
  readonly residual: Field;
}

export interface Fit extends Start {
  /** ψ(r), in units of shares. */
  readonly effective: Field;
  /** u / τ of each candidate. */
  readonly z: Float64Array;
  /** κ, the slope of ψ: 1 in a linear fit. */
  readonly kappa: number;
  /** φ, never below the error's own. */
  readonly dispersion: number;
  /** The weighted mean square of ψ(r). */
  readonly measured: number;
  /** Σ of the posterior means' slopes, by cell: near 1, there are more strong candidates than cells can tell apart. */
  readonly crowding: number;
  /** The largest change of the last step, in standard errors. */
  readonly change: number;
  readonly prior: Weights;
}

export interface FitOptions {
  readonly steps: number;
  /** The error's scale in the score; undefined for a linear fit. */
  readonly scale?: number;
  /** Only candidates above this normal variable are fitted; undefined where the prior decides. */
  readonly bar?: number;
}

const SETTLED = 0.005;
/** Coins alone make 1, but for chance. A fit that leaves less follows its own noise. */
const LEAST_DISPERSION = 0.05;
/** A full look at all candidates each so many steps. */
const FULL = 8;
/** Below so many places, all candidates are looked at in each step. */
const SMALL = 2_000_000;
/** How far below the faintest z a candidate is still followed between full looks. */
const MARGIN = 0.5;
/** The prior follows each of the first steps, the law of null candidates fewer, and then both each sixth. */
const [EARLY, OFTEN, LATER] = [12, 4, 6];
/** At first nine of ten candidates are taken to be null. */
const NULLS = 0.9;
const [FIRST_EM, WARM_EM, PSEUDO_COUNTS] = [60, 40, 3];

interface Effective {
  readonly kappa: number;
  readonly dispersion: number;
  readonly measured: number;
}

/** Puts ψ(r) into `into`, centred by cohort. */
function effectiveOf({ weights, observed, excess }: Problem, residual: Field, scale: number | undefined, into: Field): Effective {
  const { freedom } = observed;
  let kappa = 1;
  if (scale === undefined) into.set(residual);
  else {
    for (let i = 0; i < into.length; i++) into[i] = ((residual[i] as number) * Math.sqrt(weights[i] as number)) / scale;
    const { start, score, slope } = residualScore(into, weights);
    let [bends, all] = [0, 0];
    for (let i = 0; i < into.length; i++) {
      const weight = weights[i] as number;
      if (weight === 0) continue;
      const x = into[i] as number;
      bends += weight * at(slope, start, x);
      all += weight;
      into[i] = (at(score, start, x) * scale) / Math.sqrt(weight);
    }
    kappa = Math.max(1e-6, bends / all);
  }
  centreCohorts(weights, into, observed.width);
  let squares = 0;
  for (let i = 0; i < into.length; i++) squares += (weights[i] as number) * (into[i] as number) ** 2;
  if (scale === undefined) {
    const measured = Math.max(squares / freedom, LEAST_DISPERSION, 1 - 3 * Math.sqrt(2 / freedom));
    return { kappa, measured, dispersion: measured };
  }
  const measured = squares / freedom;
  return { kappa, measured, dispersion: Math.max(measured, excess * kappa * scale * scale) };
}

/** The normal variable that a null candidate's z exceeds as rarely, given the weighted residuals. */
function warpOf({ places, weights }: Problem, weighted: Field): Warp {
  const law = nullLaw(cumulantsOf(weighted, weights, places.width, places.hashes), ROUGHLY);
  return warpBy((z) => normalAt(law, law.mean + z * law.deviation));
}

/** The state of one fit. All candidates' z are as of the last full look. */
export function messagePassing(problem: Problem, start: Start, { steps, scale, bar }: FitOptions, warm?: Weights): Fit {
  const { places, observed, weights, centred, root } = problem;
  const { candidates } = places;
  const cells = weights.length;
  const [shares, residual] = [start.shares.slice(), start.residual.slice()];
  const [effective, weighted, fitted] = [new Float64Array(cells), new Float64Array(cells), new Float64Array(cells)];
  const z = new Float64Array(candidates);
  const list = new Int32Array(candidates);
  const isSmall = candidates * places.cohorts * places.hashes <= SMALL;
  const { freedom } = observed;
  const least = candidates > freedom ? Math.sqrt(2 * Math.log(candidates / freedom)) : 0;
  let prior = warm ?? flat(least, NULLS);
  let posterior = bar === undefined ? posteriorOf(prior, STRAIGHT) : certainAbove(bar, STRAIGHT);
  let warp = STRAIGHT;
  let rest = emptyHistogram();
  let active = 0;
  let now: Effective = { kappa: 1, dispersion: 1, measured: 1 };

  /** z of these candidates, or of all, from the residual as it is. */
  const look = (some?: Some): void => {
    now = effectiveOf(problem, residual, scale, effective);
    for (let i = 0; i < cells; i++) weighted[i] = (weights[i] as number) * (effective[i] as number);
    gather(places, weighted, z, some);
    const { kappa, dispersion } = now;
    const spread = Math.sqrt(dispersion);
    const length = some?.length ?? candidates;
    for (let i = 0; i < length; i++) {
      const v = some === undefined ? i : (list[i] as number);
      const own = root[v] as number;
      z[v] = own === 0 ? 0 : ((shares[v] as number) * own * kappa + (z[v] as number) / own) / spread;
    }
  };

  /** Chooses whom to follow until the next full look, and counts the others. */
  const choose = (): void => {
    rest = emptyHistogram();
    active = 0;
    const from = isSmall ? Number.NEGATIVE_INFINITY : posterior.from - MARGIN;
    for (let v = 0; v < candidates; v++) {
      if ((z[v] as number) >= from || shares[v] !== 0) list[active++] = v;
      else count(rest, z[v] as number);
    }
  };

  let [change, crowding, full] = [0, 0, true];
  for (let step = 0; step < steps; step++) {
    full ||= isSmall || step % FULL === 0;
    look(full ? undefined : { list, length: active });
    if (full) choose();
    const learns = step <= EARLY || step % LATER === 0;
    if (learns) {
      const histogram = rest.slice();
      for (let i = 0; i < active; i++) count(histogram, z[list[i] as number] as number);
      if (step < OFTEN || step % LATER === 0) warp = warpOf(problem, weighted);
      prior = learn(histogram, warp, prior, step === 0 && warm === undefined ? FIRST_EM : WARM_EM, PSEUDO_COUNTS);
      posterior = bar === undefined ? posteriorOf(prior, warp) : certainAbove(bar, warp);
    }
    const { kappa, dispersion } = now;
    let slopes = 0;
    for (let i = 0; i < active; i++) slopes += slopeAt(posterior, z[list[i] as number] as number);
    crowding = slopes / (freedom * kappa);
    const gain = crowding >= 0.3 ? 0.35 : scale === undefined ? 0.8 : 0.5;
    const unit = Math.sqrt(dispersion) / kappa;
    change = 0;
    for (let i = 0; i < active; i++) {
      const v = list[i] as number;
      const own = root[v] as number;
      if (own === 0) continue;
      const error = unit / own;
      const aim = error * meanAt(posterior, z[v] as number);
      const before = shares[v] as number;
      change = Math.max(change, Math.abs(aim - before) / error);
      const after = gain * aim + (1 - gain) * before;
      shares[v] = aim === 0 && after < error * 1e-3 ? 0 : after;
    }
    scatter(places, shares, fitted, { list, length: active });
    centre(weights, fitted);
    const keep = step === 0 && scale === undefined && warm === undefined ? 1 : gain;
    const own = Math.min(crowding, 0.97);
    for (let i = 0; i < cells; i++) {
      if (weights[i] === 0) continue;
      const next = (centred[i] as number) - (fitted[i] as number) + own * (effective[i] as number);
      residual[i] = keep * next + (1 - keep) * (residual[i] as number);
    }
    // A step that saw only some candidates, or that kept the prior, can't tell.
    const isSettled = change < SETTLED;
    if (isSettled && full && learns) break;
    full = isSettled;
  }
  look();
  return { shares, residual, effective, z, kappa: now.kappa, dispersion: now.dispersion, measured: now.measured, crowding, change, prior };
}

/** Nothing is fitted yet. */
export const beginning = ({ centred, places }: Problem): Start => ({ shares: new Float64Array(places.candidates), residual: centred });
