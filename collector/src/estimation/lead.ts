/**
 * Test of whether the answer with the largest estimate is the most frequent one. It is compared with every other answer, by the variance of
 * the difference of their estimates,
 *   Var(f_u - f_v) = s_u² + s_v² - 2 Cov(f_u, f_v).
 * The covariance is that of the law (covariance.ts), plus -f_u f_v / m among m people who were drawn. Estimates of two answers that sum to 1
 * err oppositely, so the difference varies four times as much as one of them. A rival is told apart where the difference exceeds the
 * critical value of a two-sided test. An answer leads when all rivals are told apart.
 *
 * A false lead needs an estimate that is above that of a truly most frequent answer by the critical value, and above those of all others. For
 * one look, comparing the first two at the two-sided level is enough, however many answers there are (Hung and Fithian 2019, Rank
 * verification for exponential families, theorem 1). Two tied answers are the worst case. `npm run bench -- looks` measures two, three and
 * five at all looks.
 */

import { isStringLaw, type Law } from '@murmuration/shared';
import { covarianceOf, isAnswerLaw } from './covariance.ts';
import type { Interval, People } from './estimate.ts';
import type { AnswerLaw } from './estimation.ts';
import { intervalsOf, type Judged, type Judging } from './sequences.ts';
import { isSmall } from './statistics/counts.ts';
import { criticalValue, LEVEL } from './statistics/looks.ts';

/** Lists with more answers have the bound of any two estimates: some covariances need a table of all pairs. */
const MOST_PAIRED = 256;

const isPaired = (law: Law): law is AnswerLaw => isAnswerLaw(law) && law.size <= MOST_PAIRED;

/** The variance of the difference of two estimates. Without a covariance, the largest that two errors can have: (s_u + s_v)². */
function varianceBetween(
  law: Law,
  judged: readonly Judged[],
  { perDevice, people }: People,
  exclusive: boolean,
): (u: number, v: number) => number {
  const shares = judged.map(({ estimate }) => Math.max(0, estimate.estimate));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const errorOf = (v: number): number => (judged[v] as Judged).estimate.standardError;
  const largest = (u: number, v: number): number => (errorOf(u) + errorOf(v)) ** 2;
  if (!exclusive || !(total > 0)) return largest;
  const drawn = (u: number, v: number): number => ((shares[u] as number) * (shares[v] as number)) / total ** 2 / people;
  // Different strings have coins of their own, and those that share bits err alike.
  const noise = isStringLaw(law) ? () => 0 : isPaired(law) ? covarianceOf(law, shares, judged[0]?.reports ?? 0, perDevice) : undefined;
  if (noise === undefined) return largest;
  return (u, v) => Math.min(largest(u, v), Math.max(0, errorOf(u) ** 2 + errorOf(v) ** 2 - 2 * noise(u, v) + 2 * drawn(u, v)));
}

/** The answer with the largest estimate, and those that are not told apart from it, largest first. */
export interface Standing {
  readonly leader: number;
  readonly rivals: readonly number[];
}

/**
 * Tests the leader against all others.
 *
 * @param exclusive true if a device has one answer; otherwise answers may go together in any way
 * @param mayLead answers of which one leads; the others are its rivals only
 */
export function standingOf(
  law: Law,
  judged: readonly Judged[],
  described: People,
  exclusive: boolean,
  judging: Judging,
  mayLead: (v: number) => boolean = () => true,
): Standing {
  const order = [...judged.keys()].sort((u, v) => (judged[v] as Judged).estimate.estimate - (judged[u] as Judged).estimate.estimate);
  const leader = order.find(mayLead) ?? (order[0] as number);
  const first = judged[leader] as Judged;
  const { looks, planned, level = LEVEL } = judging;
  const z = criticalValue(first.reports / planned, level, looks);
  const variance = varianceBetween(law, judged, described, exclusive);
  const isFar = (v: number): boolean => {
    const difference = first.estimate.estimate - (judged[v] as Judged).estimate.estimate;
    return difference > z * Math.sqrt(variance(leader, v));
  };
  const isFew = ({ supported }: Judged): boolean => supported !== undefined && isSmall(supported);
  const others = order.filter((v) => v !== leader);
  const far = others.filter(isFar);
  // All intervals at once, because many of a long list have equal counts.
  const few = far.filter((v) => isFew(first) || isFew(judged[v] as Judged));
  const [own, ...theirs] = intervalsOf(
    [leader, ...few].map((v) => judged[v] as Judged),
    { ...judging, level: level / 2 },
  ) as [Interval, ...Interval[]];
  const close = new Set(few.filter((_, i) => own.low <= (theirs[i] as Interval).high));
  const told = new Set(far.filter((v) => !close.has(v)));
  return { leader, rivals: others.filter((v) => !told.has(v)) };
}
