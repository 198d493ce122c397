/**
 * The power of an experiment with two arms: the least difference δ of an answer's share that the product's test detects with a power of 80 %, one
 * look at the end. The second arm has the share f + δ, and its errors are those of that share.
 *
 * With the arm as a segment in clear, each arm is a set of reports of its own, and /compare tests all m answers together. Its first step (Holm
 * 1979) tests each at 5 % / m, so δ = (z + z_0.8) √(s(f)² + s(f + δ)²), z that of 5 % / m and s the standard error of one arm's estimate. Small
 * counts are exact: of each count a of the first arm, the least b of the second which that test takes, and Σ_a P(a | f) P(B >= b | f + δ).
 *
 * Privately, a joint question asks for the arm and the answer, and the test of independence is chi-squared with d - 1 degrees of freedom
 * (decoding/association/independence.ts; Ferguson 1958), nearly noncentral chi-squared. With A its 2 d pairs and f_a the share of those in arm a
 * who have the answer, the contrast f_1 - f_0 has, at equal arms, the derivatives ± 2 (1 - f_a) for the arm's pair with the answer and ∓ 2 f_a
 * for its others. Its variance V follows from the covariance of the pairs (estimation/covariance.ts) and from who is where. The noncentrality is
 * δ² / V where the other answers are alike, since the change then has the one direction that is symmetric in them, and never less than that
 * (Cauchy and Schwarz).
 */

import { isDistributionLaw, isNumberLaw, type ListLaw, listLaw, longListLaw, type MetricDocument } from '@murmuration/shared';
import { difference } from '../../answers/rows.ts';
import { momentsOf } from '../../estimation/covariance.ts';
import type { AnswerLaw } from '../../estimation/estimation.ts';
import { type Counted, countedAt, POWER, standardErrorAt, Z80 } from '../../estimation/precision.ts';
import { differencePValue } from '../../estimation/sequences.ts';
import { atMost, binomial } from '../../estimation/statistics/counts.ts';
import { criticalValue, LEVEL } from '../../estimation/statistics/looks.ts';
import { chiSquaredTail, endOf, noncentralTail } from '../../estimation/statistics/tails.ts';
import { testedOf } from './plan.ts';

/** The least differences that are found; null where even the largest is not. */
export interface ExperimentPlan {
  /** Users of each arm. */
  readonly perArm: number;
  /** The number of answers that are compared at once. */
  readonly tested: number;
  /** With the arm as a segment, which is sent in clear. */
  readonly inClear: number | null;
  /** With the arm in a joint question; null also where none has this question: for numbers, distributions, sets, strings and permanent metrics. */
  readonly joint: number | null;
}

/** Longer joint lists have no covariance in closed form that is computed in a second. */
const MOST_PAIRS = 400;

/** Rarer counts of the first arm are left out of the power. */
const RARE = 1e-9;

/** Decides whether the test of two counts finds a difference with a power of 80 %. */
function foundByTwoCounts({ reports, chance, judged }: Counted, share: number, level: number): (difference: number) => boolean {
  const isClear = (count: number, other: number): boolean => {
    const [a, b] = [judged(count), judged(other)];
    const between = { a, b, difference: difference(a.estimate, b.estimate) };
    return between.difference.estimate > 0 && differencePValue(between, { looks: 'once', planned: reports }) <= level;
  };
  const { from, chances } = binomial({ trials: reports, chance: chance(share) });
  let critical = from;
  const told = chances.flatMap((weight, i) => {
    if (weight < RARE) return [];
    // The more have the answer in the first arm, the more must in the second.
    while (critical <= reports && !isClear(from + i, critical)) critical++;
    return [{ weight, critical }];
  });
  return (delta) => {
    const second = [{ trials: reports, chance: chance(share + delta) }];
    return told.reduce((sum, { weight, critical: count }) => sum + weight * (1 - atMost(second, count - 1)), 0) >= POWER;
  };
}

/** The least difference with the arm in clear. */
function clearDifference(law: MetricDocument['law'], perArm: number, share: number, tested: number): number | null {
  const level = LEVEL / tested;
  const [z, error] = [criticalValue(1, level, 'once') + Z80, standardErrorAt(law, perArm, share)];
  const counted = countedAt(law, perArm, share);
  const isFound = counted
    ? foundByTwoCounts(counted, share, level)
    : (delta: number): boolean => delta >= z * Math.hypot(error, standardErrorAt(law, perArm, share + delta));
  const most = isNumberLaw(law) || isDistributionLaw(law) ? 1 : 1 - share;
  return isFound(most) ? endOf(most, 0, isFound) : null;
}

/** The standard error of the difference between the arms of a joint question, by the share of the answer in each. */
function jointError(law: ListLaw, users: number, arms: readonly [first: number, second: number]): number {
  const size = law.size / 2;
  const shares = arms.flatMap((own) => Array.from({ length: size }, (_, l) => (l === 0 ? own : (1 - own) / (size - 1)) / 2));
  const weights = shares.map((_, pair) => (pair < size ? -2 : 2) * (Number(pair % size === 0) - arms[pair < size ? 0 : 1]));
  const counts = shares.map((each) => each * users);
  const { covariance } = momentsOf(law as AnswerLaw, { counts, others: new Map(), candidates: [] });
  const noise = weights.reduce((sum, own, u) => sum + own * weights.reduce((row, other, v) => row + other * covariance.get(u, v), 0), 0);
  const sampling = weights.reduce((sum, weight, pair) => sum + weight * weight * (shares[pair] as number), 0) / users;
  return Math.sqrt(noise + sampling);
}

/** Steps of the iteration for δ, and the change of it that ends them. */
const [STEPS, SETTLED] = [20, 1e-4];

/** The least difference with the arm in a joint question. */
function jointDifference(size: number, epsilon: number, users: number, share: number): number | null {
  const law: ListLaw = 2 * size > 64 ? longListLaw(2 * size, epsilon) : listLaw(2 * size, epsilon);
  const threshold = endOf(0, 1000, (statistic) => chiSquaredTail(statistic, size - 1) > LEVEL);
  const wanted = endOf(0, 1000, (noncentrality) => noncentralTail(threshold, size - 1, noncentrality) < POWER);
  let delta = 0;
  for (let step = 0; step < STEPS; step++) {
    const next = Math.sqrt(wanted) * jointError(law, users, [share, Math.min(1, share + delta)]);
    if (Math.abs(next - delta) < SETTLED * next) return next <= 1 - share ? next : null;
    delta = next;
  }
  return delta <= 1 - share ? delta : null;
}

/** The plan of an experiment with so many users, half in each arm, at a share of the answer that is looked at. */
export function experimentOf(metric: Pick<MetricDocument, 'type' | 'law' | 'epsilon'>, users: number, share: number): ExperimentPlan {
  const { law, epsilon } = metric;
  const perArm = users / 2;
  const isList =
    'size' in law && !('irr' in law) && 2 * law.size <= MOST_PAIRS && !['privset', 'd-bit-flip', 'hierarchical'].includes(law.mechanism);
  // One of two answers is the other one turned round.
  const isEither = 'size' in law && law.size === 2 && law.mechanism !== 'privset';
  const tested = isEither || isNumberLaw(law) || isDistributionLaw(law) ? 1 : testedOf(metric);
  return {
    perArm,
    tested,
    inClear: clearDifference(law, perArm, share, tested),
    joint: isList ? jointDifference(law.size, epsilon, users, share) : null,
  };
}
