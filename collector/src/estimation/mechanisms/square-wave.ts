/**
 * The estimates of the square wave (SW); the law is in shared/src/mechanisms/square-wave.ts, the scores in square-wave-shares.ts.
 *
 * For weights w of the cells, the estimate is the mean of the scores t(j) of the reports, with E[t | x] = w_x and Var(t | x) = Σ_j P(j | x)
 * t(j)² - w_x². The mean of that variance over devices is computed at the maximum-likelihood shares θ, which reproduce the observed
 * frequencies of the outputs.
 *
 * A population's mean weight varies by Var(w) / m more, with m the people who were drawn from it (estimate.ts). Var(w) is computed from θ
 * with some people added at both ends of the weights, for cells that no report has shown yet. They are added to the m people, of whom each
 * may have sent several of the n reports.
 *
 * When few reports dominate the sum of t, as for a narrow range at a large ε, its error is far from normal. Its quantiles are then those of
 * n independent errors t(j) - w_x, x drawn by θ, by the saddlepoint approximation. For a population's mean, the errors are t(j) - E w.
 * One such error has variance V = E Var(t | x) + Var(w), and the estimate has E Var(t | x) / n + Var(w) / m. So the errors of n reports of m
 * people vary like V / (E Var(t | x) / n + Var(w) / m) independent ones, between m and n. The quantiles are those of their sum.
 *
 * A window of one cell makes the law k-ary response. The outputs in a range of k cells then support it: they are p + (k-1) q of the reports of
 * devices in the range, and k q of the others. So their count is binomial, and has exact tests. Wider windows have no such count.
 */

import { cellsOf, type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { densityOf, type Sight } from '../density.ts';
import { cautious, type Distribution } from '../distribution.ts';
import { independentReports, THESE } from '../estimate.ts';
import type { DistributionEstimation } from '../estimation.ts';
import { byMatrix, cellsBy } from '../parts.ts';
import { chancesOf, expectationMaximization, squareWaveScores, windowSums } from '../square-wave-shares.ts';
import { type Atoms, ENOUGH, quantileOfSum } from '../statistics/saddlepoint.ts';
import { Z95 } from '../statistics/tails.ts';
import type { Tallies } from '../tally.ts';
import { ends } from '../watch/bounds.ts';
import { windowRows } from './piecewise.ts';

/** Rounds of expectation maximization, for variances. More rounds change the shares, but hardly the outputs. */
const ROUNDS = 300;

/** The mean of Var(t | x) over devices whose cells have these shares. */
function meanVariance(law: SquareWaveLaw, score: Float64Array, weights: ArrayLike<number>, shares: Float64Array): number {
  const { p, q } = chancesOf(law);
  const squares = new Float64Array(score.length);
  let all = 0;
  for (let j = 0; j < score.length; j++) all += squares[j] = (score[j] as number) ** 2;
  const near = windowSums(squares, law.window, 0, shares.length);
  let mean = 0;
  for (let x = 0; x < shares.length; x++) {
    mean += (shares[x] as number) * (q * all + (p - q) * (near[x] as number) - (weights[x] as number) ** 2);
  }
  return mean;
}

/** The errors t(j) - w_x of one report with their probabilities, x drawn by these shares. Cells of equal weight are merged. */
function errorsOf(law: SquareWaveLaw, score: Float64Array, weights: ArrayLike<number>, shares: Float64Array): Atoms {
  const { p, q } = chancesOf(law);
  const byWeight = new Map<number, Float64Array>();
  for (const [x, share] of shares.entries()) {
    if (share === 0) continue;
    const weight = weights[x] as number;
    const held = byWeight.get(weight) ?? new Float64Array(shares.length);
    held[x] = share;
    byWeight.set(weight, held);
  }
  const outputs = score.length;
  const [values, chances] = [new Float64Array(byWeight.size * outputs), new Float64Array(byWeight.size * outputs)];
  let at = 0;
  for (const [weight, held] of byWeight) {
    const others = q * held.reduce((sum, share) => sum + share, 0);
    const near = windowSums(held, law.window, 1 - law.window, outputs);
    for (let j = 0; j < outputs; j++, at++) {
      values[at] = (score[j] as number) - weight;
      chances[at] = others + (p - q) * Math.max(0, near[j] as number);
    }
  }
  return { values, chances };
}

/** Maps weights to the variance of one report's estimate of their mean, for evenly spread numbers. */
export function squareWaveEven(law: SquareWaveLaw): (weights: readonly number[]) => number {
  const scoresOf = squareWaveScores(law);
  const even = new Float64Array(law.grid + 1).fill(1 / (law.grid + 1));
  return (weights) => meanVariance(law, scoresOf(weights), weights, even);
}

/** The evidence of the outputs: output j comes from the cells whose windows hold it. */
function sightsOf(law: SquareWaveLaw, counts: Float64Array, reports: number): readonly Sight[] {
  const chances = chancesOf(law);
  return Array.from(counts, (count, j) => {
    return { from: Math.max(0, j + 1 - law.window), to: Math.min(law.grid + 1, j + 1), ...chances, count, reports };
  });
}

/** The distribution estimated from a law's tallies; undefined without reports. */
export function squareWaveDistribution(law: SquareWaveLaw, tallies: Tallies, people: number = THESE): Distribution | undefined {
  const tally = tallies.get(0);
  if (tally === undefined || tally.reports === 0) return undefined;
  const { reports, cells: counts } = tally;
  const scoresOf = squareWaveScores(law);
  const likeliest = expectationMaximization(law, counts, ROUNDS);
  return {
    cells: law.grid + 1,
    meanOf: (weights) => {
      const score = scoresOf(weights);
      const estimate = score.reduce((sum, t, j) => sum + t * (counts[j] as number), 0) / reports;
      const shares = people === THESE ? likeliest : cautious(likeliest, weights, Math.min(reports, people));
      const mean = shares.reduce((sum, share, x) => sum + share * (weights[x] as number), 0);
      const spread = shares.reduce((sum, share, x) => sum + share * ((weights[x] as number) - mean) ** 2, 0);
      const noise = Math.max(0, meanVariance(law, score, weights, shares));
      const variance = noise / reports + spread / people;
      const alike = independentReports(noise, spread, reports, people);
      const widest = score.reduce((most, t) => Math.max(most, Math.abs(t)), 0);
      if (alike * alike * variance >= ENOUGH * widest * widest) return { estimate, variance };
      const truths = people === THESE ? weights : new Float64Array(shares.length).fill(mean);
      const quantile = quantileOfSum(alike, errorsOf(law, score, truths, shares));
      return { estimate, variance, errors: [quantile(-Z95) / alike, quantile(Z95) / alike] };
    },
    countOf: (from, to) => {
      const cells = to - from;
      if (law.window > 1 || cells === 0 || cells > law.grid) return undefined;
      const { p, q } = chancesOf(law);
      const count = counts.slice(from, to).reduce((sum, each) => sum + each, 0);
      return { count: Math.round(count), trials: reports, support: { p: p + (cells - 1) * q, q: cells * q } };
    },
    density: () => densityOf(law.grid + 1, sightsOf(law, counts, reports), people),
  };
}

/** The scores of each cell's share. */
function cellScores(law: SquareWaveLaw): readonly number[] {
  const scoresOf = squareWaveScores(law);
  const cells = cellsOf(law);
  return Array.from({ length: cells }, (_, own) =>
    Array.from(scoresOf(Array.from({ length: cells }, (__, cell) => Number(cell === own)))),
  ).flat();
}

export const squareWave: DistributionEstimation<SquareWaveLaw> = {
  ...cellsBy<SquareWaveLaw>(squareWaveDistribution, (law, weights) => squareWaveEven(law)(weights)),
  named: (law) => [(e) => squareWaveLaw(cellsOf(law), e)],
  ...byMatrix<SquareWaveLaw>(windowRows),
  leverage: (law) => ends(cellScores(law)),
  simulated: [{ of: 'distribution', name: 'square-wave', client: 'squareWave' }],
};
