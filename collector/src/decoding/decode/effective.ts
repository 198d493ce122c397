/**
 * The evidence of the residuals for every candidate: ψ(r), which is the residual itself in a linear fit, and otherwise the score of the
 * residuals' own law, which tells strings that are on no list from noise.
 *
 * The score takes x = (r - ℓ) √w, with one law for all cells. But jumps from strings on no list have one law in shares, not in x: where a strong
 * string lowers w, it is narrower. So ℓ is such that, to first order in √w, the score keeps its mean of 0 there: Σ √w ψ'(x) E[d | x] = 0, with
 * d = x - ψ(x) the jump (Tweedie). That is the main mode's place if jumps are rare and wide, and the mean if they are normal. With the mean for
 * every law, strong strings would come out too strong by 1 or 2 %.
 */

import { centreCohorts, type Field, type Problem } from './cells.ts';

export interface Effective {
  /** κ, the mean slope of ψ: 1 in a linear fit. */
  readonly kappa: number;
  /** φ, what ψ(r) varies by, relative to 1 / w. */
  readonly dispersion: number;
  /** ℓ, for the next step. */
  readonly location: number;
}

/** Coins alone make 1, up to chance. A fit that leaves less follows its own noise. */
const LEAST_DISPERSION = 0.05;

/** The weighted mean square of a field that is centred by cohort. */
function meanSquare({ weights, observed }: Problem, values: Field): number {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (weights[i] as number) * (values[i] as number) ** 2;
  return squares / observed.freedom;
}

/** Puts the residual into `into`, centred by cohort. */
export function linearEffective(problem: Problem, residual: Field, into: Field): Effective {
  into.set(residual);
  centreCohorts(problem.weights, into, problem.observed.width);
  const least = Math.max(LEAST_DISPERSION, 1 - 3 * Math.sqrt(2 / problem.observed.freedom));
  return { kappa: 1, dispersion: Math.max(meanSquare(problem, into), least), location: 0 };
}

const standardized = ({ weights }: Problem, residual: Field, location: number): Field =>
  residual.map((value, i) => (value - location) * Math.sqrt(weights[i] as number));

/** Puts ψ into `into`, centred by cohort, by the score that holds at each cell. */
function applied(
  problem: Problem,
  x: Field,
  scoreAt: (cell: number) => Score,
  into: Field,
): { readonly kappa: number; readonly shift: number } {
  const { weights, observed } = problem;
  let [bends, all, jumps] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const weight = weights[i] as number;
    if (weight === 0) continue;
    const { start, score, slope } = scoreAt(i);
    const here = x[i] as number;
    const psi = at(score, start, here);
    const bend = at(slope, start, here);
    const root = Math.sqrt(weight);
    bends += weight * bend;
    all += weight;
    jumps += root * bend * (here - psi);
    into[i] = psi / root;
  }
  centreCohorts(weights, into, observed.width);
  return { kappa: Math.max(1e-6, bends / all), shift: jumps / Math.max(1e-6 * all, bends) };
}

/** Puts the score of the residuals into `into`, centred by cohort. No law has a smaller mean square of its score than κ. */
export function scoredEffective(problem: Problem, residual: Field, location: number, into: Field): Effective {
  const x = standardized(problem, residual, location);
  const law = residualScore(x, problem.weights);
  const { kappa, shift } = applied(problem, x, () => law, into);
  return { kappa, dispersion: Math.max(meanSquare(problem, into), problem.excess * kappa), location: location + shift };
}

/**
 * √φ / κ, with each half of the cells scored by the law of the other half. A law knows the residuals that it was learned from, and says of these
 * that they vary too little.
 */
export function crossedError(problem: Problem, residual: Field, location: number): number {
  const { weights, observed } = problem;
  const x = standardized(problem, residual, location);
  const halfOf = (cell: number): number => ((cell % observed.width) + Math.floor(cell / observed.width)) % 2;
  const laws = [0, 1].map((half) =>
    residualScore(
      x,
      weights.map((weight, cell) => (halfOf(cell) === half ? 0 : weight)),
    ),
  );
  const psi = new Float64Array(x.length);
  const { kappa } = applied(problem, x, (cell) => laws[halfOf(cell)] as Score, psi);
  return Math.sqrt(meanSquare(problem, psi)) / kappa;
}

/**
 * The score of residuals whose law is not normal. Strings that are on no list add their shares to some cells, so a residual is a known
 * normal error plus a jump d of unknown law. That law is found by deconvolution (Richardson 1972, Lucy 1974) from a histogram of x =
 * residual / error, and by Tweedie's formula the score of x is -(log f)'(x) = x - E[d | x]. Where jumps stand clear of the error, the score
 * ignores them, and its Fisher information κ exceeds that of a normal law of equal variance.
 */
const BIN = 0.25;
const REACH: number = Math.round(5 / BIN);
/** More bins than any residual needs; those beyond are counted in the last. */
const MOST = 20_000;

const KERNEL: Float64Array = Float64Array.from({ length: 2 * REACH + 1 }, (_, i) => Math.exp(-0.5 * ((i - REACH) * BIN) ** 2));
const KERNEL_SUM: number = KERNEL.reduce((sum, x) => sum + x, 0);
for (let i = 0; i < KERNEL.length; i++) KERNEL[i] = (KERNEL[i] as number) / KERNEL_SUM;

/** By x, from `start` in steps of BIN. */
export interface Score {
  readonly start: number;
  readonly score: Float64Array;
  /** 1 less the variance of the jump: the slope of the score. */
  readonly slope: Float64Array;
}

function smoothed(from: Float64Array, into: Float64Array): void {
  const bins = from.length;
  into.fill(0);
  for (let b = 0; b < bins; b++) {
    const here = from[b] as number;
    if (here === 0) continue;
    const last = Math.min(bins - 1, b + REACH);
    for (let to = Math.max(0, b - REACH); to <= last; to++) into[to] = (into[to] as number) + here * (KERNEL[to - b + REACH] as number);
  }
}

/** The score at each bin, from the law of the jumps. */
function scoreOf(start: number, jumps: Float64Array): Score {
  const bins = jumps.length;
  const [score, slope] = [new Float64Array(bins), new Float64Array(bins).fill(1)];
  for (let b = 0; b < bins; b++) {
    let [density, first, second] = [0, 0, 0];
    const last = Math.min(bins - 1, b + REACH);
    for (let d = Math.max(0, b - REACH); d <= last; d++) {
      const weight = (jumps[d] as number) * (KERNEL[d - b + REACH] as number);
      const distance = (d - b) * BIN;
      density += weight;
      first += weight * distance;
      second += weight * distance * distance;
    }
    if (!(density > 1e-250)) continue;
    score[b] = -first / density;
    slope[b] = 1 - (second / density - (first / density) ** 2);
  }
  return { start, score, slope };
}

/** Finds the score of these values, those of weight 0 left out. The more values, the finer the law: more steps of deconvolution. */
export function residualScore(values: Float64Array, weights: Float64Array): Score {
  let [low, high, n] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < values.length; i++) {
    if (weights[i] === 0) continue;
    low = Math.min(low, values[i] as number);
    high = Math.max(high, values[i] as number);
    n++;
  }
  const first = Math.floor(low / BIN) - REACH;
  const bins = Math.min(MOST, Math.ceil(high / BIN) + REACH - first + 1);
  const start = first * BIN;
  const histogram = new Float64Array(bins);
  for (let i = 0; i < values.length; i++) {
    if (weights[i] === 0) continue;
    const at = Math.min(bins - 2, ((values[i] as number) - start) / BIN);
    const bin = Math.floor(at);
    histogram[bin] = (histogram[bin] as number) + (bin + 1 - at) / n;
    histogram[bin + 1] = (histogram[bin + 1] as number) + (at - bin) / n;
  }
  const jumps = new Float64Array(bins);
  smoothed(histogram, jumps);
  for (let b = 0; b < bins; b++) jumps[b] = (jumps[b] as number) + 1e-4 / bins;
  const [expected, ratio] = [new Float64Array(bins), new Float64Array(bins)];
  const steps = Math.round(4 + 2 * Math.max(0, Math.log2(n / 128)));
  for (let step = 0; step < steps; step++) {
    smoothed(jumps, expected);
    for (let b = 0; b < bins; b++) {
      const here = histogram[b] as number;
      ratio[b] = here > 0 ? here / (expected[b] as number) : 0;
    }
    smoothed(ratio, expected);
    for (let b = 0; b < bins; b++) jumps[b] = (jumps[b] as number) * (expected[b] as number);
  }
  return scoreOf(start, jumps);
}

/** Linear between bins. */
function at(by: Float64Array, start: number, x: number): number {
  const place = Math.min(by.length - 1.001, Math.max(0, (x - start) / BIN));
  const bin = Math.floor(place);
  const part = place - bin;
  return (1 - part) * (by[bin] as number) + part * (by[bin + 1] as number);
}
