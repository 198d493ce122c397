/**
 * Shares of all candidates at once, by approximate message passing with a learned prior (Donoho, Maleki, Montanari 2009; Rangan 2011 for the
 * score; the prior as in Feng et al. 2022, §3.2).
 *
 * Each step estimates every candidate from the residual that the others leave, u = b + x'(w ψ(r)) / (a κ). The term with ψ's own candidates in
 * it (Onsager) keeps the errors of u normal, with one standard error τ = √(φ / a) / κ for all: φ is what the residuals vary by. Then the
 * prior is learned from z = u / τ, and b becomes its posterior mean. With the identity for ψ this is the linear fit. With the score of the
 * residuals' own law (effective.ts) it also sees past strings that are on no list.
 *
 * Most candidates of a long list are faint: their posterior mean is 0. Only each eighth step looks at them again.
 */

import type { Problem } from './cells.ts';
import { centre, type Field, gather, type Some, scatter } from './cells.ts';
import { crossedError, type Effective, linearEffective, scoredEffective } from './effective.ts';
import { cumulantsOf, normalAt, nullLaw } from './null-law.ts';
import {
  certainAbove,
  count,
  emptyHistogram,
  flat,
  learn,
  meanAt,
  meanBetween,
  posteriorOf,
  STRAIGHT,
  slopeAt,
  type Warp,
  type Weights,
  warpBy,
} from './signals.ts';

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
  /** φ, what ψ(r) varies by. */
  readonly dispersion: number;
  /** The standard error of a candidate, times √a. */
  readonly error: number;
  /** Σ of the posterior means' slopes, by cell: near 1, there are more strong candidates than cells can tell apart. */
  readonly crowding: number;
  /** The largest change of the last step, in standard errors. */
  readonly change: number;
  readonly prior: Weights;
}

export interface FitOptions {
  readonly steps: number;
  /** Ends when no candidate changes by more, in its standard errors. */
  readonly settled: number;
  /** By the residuals' score. Absent: linear. */
  readonly isScored?: boolean;
  readonly onStep?: (() => void) | undefined;
  /** Only candidates above this normal variable are fitted; undefined where the prior decides. */
  readonly bar?: number;
}

/** So much of each change is made. Less, and crowded fits don't settle. */
const GAIN = 0.9;
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

/** The normal variable that a null candidate's z exceeds as rarely, given the weighted residuals. */
function warpOf({ places, weights }: Problem, weighted: Field): Warp {
  const law = nullLaw(cumulantsOf(weighted, weights, places.width, places.hashes));
  return warpBy((z) => normalAt(law, law.mean + z * law.deviation));
}

/** The state of one fit. All candidates' z are as of the last full look. */
export function messagePassing(
  problem: Problem,
  start: Start,
  { steps, settled, isScored = false, onStep, bar }: FitOptions,
  warm?: Weights,
): Fit {
  const { places, observed, weights, centred, root } = problem;
  const { candidates } = places;
  const cells = weights.length;
  const [shares, residual] = [start.shares.slice(), start.residual.slice()];
  const [effective, weighted, fitted] = [new Float64Array(cells), new Float64Array(cells), new Float64Array(cells)];
  const z = new Float64Array(candidates);
  const list = new Int32Array(candidates);
  const isSmall = candidates * places.cohorts * places.hashes <= SMALL;
  // The posterior mean is a step for each small range of z. A candidate that goes to and fro between two keeps a fit from settling, which costs
  // a long list many looks at all candidates. In short lists means without steps found no more strings.
  const meanOf = isSmall ? meanAt : meanBetween;
  const { freedom } = observed;
  const least = candidates > freedom ? Math.sqrt(2 * Math.log(candidates / freedom)) : 0;
  let prior = warm ?? flat(least, NULLS);
  let posterior = bar === undefined ? posteriorOf(prior, STRAIGHT) : certainAbove(bar, STRAIGHT);
  let warp = STRAIGHT;
  let rest = emptyHistogram();
  let active = 0;
  let now: Effective = { kappa: 1, dispersion: 1, location: 0 };

  /** z of these candidates, or of all, from the residual as it is. */
  const look = (some?: Some): void => {
    now = isScored ? scoredEffective(problem, residual, now.location, effective) : linearEffective(problem, residual, effective);
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

  let [change, crowding, full, isSettled] = [0, 0, true, false];
  for (let step = 0; step < steps; step++) {
    full ||= isSmall || step % FULL === 0;
    look(full ? undefined : { list, length: active });
    if (full) choose();
    const learns = step <= EARLY || step % LATER === 0 || (isSettled && !isSmall);
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
    const unit = Math.sqrt(dispersion) / kappa;
    change = 0;
    for (let i = 0; i < active; i++) {
      const v = list[i] as number;
      const own = root[v] as number;
      if (own === 0) continue;
      const error = unit / own;
      const aim = error * meanOf(posterior, z[v] as number);
      const before = shares[v] as number;
      change = Math.max(change, Math.abs(aim - before) / error);
      const after = GAIN * aim + (1 - GAIN) * before;
      shares[v] = aim === 0 && after < error * 1e-3 ? 0 : after;
    }
    scatter(places, shares, fitted, { list, length: active });
    centre(weights, fitted);
    const keep = step === 0 && !isScored && warm === undefined ? 1 : GAIN;
    const own = Math.min(crowding, 0.97);
    for (let i = 0; i < cells; i++) {
      if (weights[i] === 0) continue;
      const next = (centred[i] as number) - (fitted[i] as number) + own * (effective[i] as number);
      residual[i] = keep * next + (1 - keep) * (residual[i] as number);
    }
    onStep?.();
    // A step that saw only some candidates, or that kept the prior, can't tell. In a long list the next one sees all and learns.
    isSettled = change < settled;
    if (isSettled && full && learns) break;
    full = isSettled;
  }
  look();
  const { kappa, dispersion, location } = now;
  const error = isScored ? crossedError(problem, residual, location) : Math.sqrt(dispersion);
  return { shares, residual, effective, z, kappa, dispersion, error, crowding, change, prior };
}

/** Nothing is fitted yet. */
export const beginning = ({ centred, places }: Problem): Start => ({ shares: new Float64Array(places.candidates), residual: centred });
