/**
 * The power of an experiment with two arms: the least difference that a two-sided test at 5 % detects with a power of 80 %, one look at the end.
 *
 * With the arm as a segment in clear, each arm is a set of reports of its own: δ = (z_0.975 + z_0.8) √(2 s²), s the standard error of one
 * arm's estimate. Privately, a joint question asks for the arm and the answer: with A its 2 d pairs, f_a0 the share of those who are in arm a
 * and have the answer, δ is that of f_10 / f_1 - f_00 / f_0. At equal arms its derivatives are ± 2 (1 - f) for pairs with the answer and ∓ 2 f for
 * others, so its variance is that of a mean of these weights, from the covariance of the pairs (estimation/covariance.ts) and of who is where.
 */

import { type ListLaw, listLaw, longListLaw, type MetricDocument } from '@murmuration/shared';
import { momentsOf } from '../../estimation/covariance.ts';
import type { AnswerLaw } from '../../estimation/estimation.ts';
import { standardErrorAt, Z80 } from '../../estimation/precision.ts';
import { Z95 } from '../../estimation/statistics/tails.ts';

/** The least differences that are found. */
export interface ExperimentPlan {
  /** Users of each arm. */
  readonly perArm: number;
  /** With the arm as a segment, which is sent in clear. */
  readonly inClear: number;
  /** With the arm in a joint question; null where none has this question: for numbers, distributions, sets, strings and permanent metrics. */
  readonly joint: number | null;
}

/** Longer joint lists have no covariance in closed form that is computed in a second. */
const MOST_PAIRS = 400;

/** The standard error of the difference between the arms of a joint question, for a share of the answer in both. */
function jointError(size: number, epsilon: number, users: number, share: number): number {
  const law: ListLaw = 2 * size > 64 ? longListLaw(2 * size, epsilon) : listLaw(2 * size, epsilon);
  const shares = Array.from({ length: 2 * size }, (_, pair) => (pair % size === 0 ? share : (1 - share) / (size - 1)) / 2);
  const weights = shares.map((_, pair) => (pair < size ? -2 : 2) * (pair % size === 0 ? 1 - share : -share));
  const counts = shares.map((each) => each * users);
  const { covariance } = momentsOf(law as AnswerLaw, { counts, others: new Map(), candidates: [] });
  const noise = weights.reduce((sum, own, u) => sum + own * weights.reduce((row, other, v) => row + other * covariance.get(u, v), 0), 0);
  const sampling = weights.reduce((sum, weight, pair) => sum + weight * weight * (shares[pair] as number), 0) / users;
  return Math.sqrt(noise + sampling);
}

/** The plan of an experiment with so many users, half in each arm, at a share of the answer that is looked at. */
export function experimentOf({ law, epsilon }: Pick<MetricDocument, 'law' | 'epsilon'>, users: number, share: number): ExperimentPlan {
  const perArm = users / 2;
  const found = Z95 + Z80;
  const isList =
    'size' in law && !('irr' in law) && 2 * law.size <= MOST_PAIRS && !['privset', 'd-bit-flip', 'hierarchical'].includes(law.mechanism);
  return {
    perArm,
    inClear: found * Math.SQRT2 * standardErrorAt(law, perArm, share),
    joint: isList ? found * jointError(law.size, epsilon, users, share) : null,
  };
}
