/**
 * Empirical-Bayes estimates of a list's shares: the posterior mean of each share, under a prior learned from all estimates together
 * (Robbins 1956; Jiang and Zhang 2009, who call it GMLEB), followed by norm-sub. On long lists they are much closer to the truth than
 * norm-sub alone. They are biased and have no interval.
 *
 * Learning a prior has a cost. Its regret grows with the range of the shares in standard errors and falls with the length of the list
 * (ibid., the oracle inequalities). On a short list, or one whose shares are all resolved, the cost is larger than the gain. So `crowding`
 * measures how many estimates the noise can't distinguish. Below `ENOUGH`, the result is norm-sub alone.
 */

import { normSub } from './norm-sub.ts';
import { fitPrior, likelihoodOf, type Observation, type Prior } from './prior.ts';

/**
 * Simulated in 396 cases (100,000 reports, 8 to 1024 answers, ε from 0.25 to 6; Zipf, linear, uniform and two-valued shares). From 6 on,
 * the squared error was 0.49 of norm-sub's on average; below 4, it was 1.15 of it.
 */
const ENOUGH = 6;
const NEAR = 2; // in standard errors: nearer estimates can hardly be distinguished

/**
 * The number of estimates within two standard errors of an estimate, including itself: the harmonic mean over estimates. The number of
 * estimates d divided by it is the number of groups that the noise leaves, and the prior must learn each group.
 */
export function crowding(observations: readonly Observation[]): number {
  const ascending = [...observations].sort((a, b) => a.estimate - b.estimate);
  let groups = 0;
  let [from, to] = [0, 0];
  for (const { estimate, standardError } of ascending) {
    const [low, high] = [estimate - NEAR * standardError, estimate + NEAR * standardError];
    // Standard errors differ little between neighbours; where they do, the window's ends move back as well.
    while (from > 0 && (ascending[from - 1] as Observation).estimate >= low) from--;
    while ((ascending[from] as Observation).estimate < low) from++;
    while (to > 0 && (ascending[to - 1] as Observation).estimate > high) to--;
    while (to < ascending.length && (ascending[to] as Observation).estimate <= high) to++;
    groups += 1 / (to - from);
  }
  return observations.length / groups;
}

/** The mean of the true share given its estimate: Σ_k θ_k L_k w_k / Σ_k L_k w_k. */
function posteriorMean({ grid, weights }: Prior, observation: Observation): number {
  const { from, values } = likelihoodOf(grid, observation);
  let [mass, sum] = [0, 0];
  values.forEach((value, k) => {
    const joint = value * (weights[from + k] as number);
    mass += joint;
    sum += joint * (grid[from + k] as number);
  });
  return sum / mass;
}

/** Shares that are not negative and sum to `total`. Returns norm-sub's shares when a prior can't be learned well enough. */
export function shrunk(observations: readonly Observation[], total = 1): number[] {
  if (observations.length === 0 || crowding(observations) < ENOUGH)
    return normSub(
      observations.map(({ estimate }) => estimate),
      total,
    );
  const prior = fitPrior(observations);
  return normSub(
    observations.map((observation) => posteriorMean(prior, observation)),
    total,
  );
}
