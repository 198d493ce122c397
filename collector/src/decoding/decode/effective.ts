/**
 * What the residuals say of every candidate: ψ(r), which is the residual itself in a linear fit, and otherwise the score of the residuals' own
 * law (residual-score.ts), which tells strings that are on no list from noise.
 *
 * The score takes x = (r - ℓ) √w, with one law for all cells. But jumps from strings on no list have one law in shares, not in x: where a strong
 * string lowers w, it is narrower. So ℓ is such that, to first order in √w, the score keeps its mean of 0 there: Σ √w ψ'(x) E[d | x] = 0, with
 * d = x - ψ(x) the jump (Tweedie). That is the main mode's place if jumps are rare and wide, and the mean if they are normal. With the mean for
 * every law, strong strings would come out too strong by 1 or 2 %.
 */

import { centreCohorts, type Field } from './cells.ts';
import type { Problem } from './problem.ts';
import { at, residualScore, type Score } from './residual-score.ts';

export interface Effective {
  /** κ, the mean slope of ψ: 1 in a linear fit. */
  readonly kappa: number;
  /** φ, what ψ(r) varies by, relative to 1 / w. */
  readonly dispersion: number;
  /** ℓ, for the next step. */
  readonly location: number;
}

/** Coins alone make 1, but for chance. A fit that leaves less follows its own noise. */
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
