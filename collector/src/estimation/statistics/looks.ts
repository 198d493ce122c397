/**
 * Verdicts that hold at every look, by confidence sequences: the critical value of a standardized error as a function of how much is known,
 * and the evidence against a hypothesis.
 *
 * An estimate has the error e and the variance v. As reports arrive, its information 1/v grows, and each gain is independent of what is
 * known. Under the hypothesis that the truth is θ, the likelihood ratio of N(θ + δ, v), δ drawn from N(0, τ²), to N(θ, v) is
 *   E = (1 + r)^(-1/2) exp(z² r / (2 (1 + r))),   z = e / √v, r = τ² / v.
 * E is a martingale that begins at 1, so it ever reaches 1/α with probability at most α (Ville 1939; Robbins 1970, equation 17). All θ with
 * E < 1/α form a confidence sequence: it holds the truth at all looks together with probability 1 - α. Reports are not normal, but their
 * sums are so nearly that the sequence is asymptotically valid (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2021, arXiv 2103.06476,
 * theorem 2.2, with r = t ρ²), also where the mean changes with time (theorem 2.5, `among: 'reports'`). Small counts have exact sequences
 * (counts.ts).
 *
 * One τ has a cost: z grows as 1/√r where v is large, and as √(log r) where v is small. At r = `TUNED` it is nearly the least for α = 5 %:
 * 3.04 at r = 7.8, and at most 3.128 = 1.596 · 1.96 for r between 0.4 and 4 times that. So τ² is `TUNED` times the variance at the size that
 * was planned. A fortieth of the prior is spread over wider ones, so that far from the plan the sequence is useful, too: E is a weighted mean
 * of martingales, which is a martingale. It widens the sequence by 0.2 % near the plan, and at a hundredth of that size z is 4.3 instead of
 * 9.2.
 */

import { chiSquaredTail, normalQuantile } from './tails.ts';

/** How often an answer is looked at: as often as anybody likes while reports arrive, or once, at a time that was chosen before. */
export const LOOKS: readonly ['always', 'once'] = ['always', 'once'];

export type Looks = (typeof LOOKS)[number];

/** The probability of a wrong verdict at any look. */
export const LEVEL = 0.05;

/** r at the planned size: τ² over the variance there. */
export const TUNED = 7.8;

/** The parts of the prior: weight, and τ² in units of the tuned one. */
export const PRIOR: readonly (readonly [weight: number, wider: number])[] = [
  [0.975, 1],
  [0.0125, 16],
  [0.0125, 256],
];

/** ln Σ exp. */
export function logSum(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}

/*
 * The size is the present information over that at the planned size. Without repeated reports it is the reports over those that were
 * planned. Where devices report several times, the reports count as well, although they know less: their variance is that of the devices
 * (estimate.ts), so the information grows more slowly than the reports do. A sequence that takes its time to pass faster than it does is
 * only more careful, because the chance of a crossing grows with the logarithm of the time that really passes.
 */

/** ln E against the hypothesis from which an estimate is z standard errors away. */
export const evidence = (z: number, size: number): number =>
  logSum(
    PRIOR.map(([weight, wider]) => {
      const r = TUNED * wider * size;
      return Math.log(weight) - Math.log1p(r) / 2 + (z * z * r) / (2 * (1 + r));
    }),
  );

/** The z from which on a hypothesis is rejected at this level. For all looks, it is infinite where nothing is known. */
export const criticalValue = (size: number, level: number = LEVEL, looks: Looks = 'always'): number =>
  looks === 'once' ? normalQuantile(level / 2) : enough(size, level);

/**
 * The z from which on the evidence reaches 1/α. ln E is a convex function of z², so Newton's steps from above come down to it. It is at least
 * its first part, which is enough where they begin.
 */
function enough(size: number, level: number): number {
  const parts = PRIOR.map(([weight, wider]) => {
    const r = TUNED * wider * size;
    return { at0: Math.log(weight) - Math.log1p(r) / 2, slope: r / (2 * (1 + r)) };
  });
  const [first] = parts as [(typeof parts)[number]];
  if (!(first.slope > 0)) return Number.POSITIVE_INFINITY;
  const wanted = -Math.log(level);
  let square = (wanted - first.at0) / first.slope;
  for (let step = 0; step < STEPS; step++) {
    const logs = parts.map(({ at0, slope }) => at0 + slope * square);
    const reached = logSum(logs);
    const slope = parts.reduce((sum, part, i) => sum + part.slope * Math.exp((logs[i] as number) - reached), 0);
    const less = (reached - wanted) / slope;
    square -= less;
    if (less < PRECISION * square) break;
  }
  return Math.sqrt(square);
}

/** Newton's steps at most, and the change of z² that ends them. */
const [STEPS, PRECISION] = [50, 1e-12];

/** The p-value of a hypothesis from which an estimate is z standard errors away. One that may be looked at always is 1/E (Ville). */
export const pValueOf = (z: number, size: number, looks: Looks): number =>
  looks === 'once' ? chiSquaredTail(z * z, 1) : Math.min(1, Math.exp(-evidence(z, size)));
