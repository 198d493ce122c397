/**
 * The share of people whose answer is one or a later one of the list, such as those who reached a step of a funnel. It is the sum T of those
 * answers' shares, and its estimate the sum of their estimates, which vary together:
 *   Var(T^) = Σ_{u,v in S} Cov(f_u, f_v) + T (1-T) / m,  S the answers, m the people who were drawn.
 * Covariances are sums over devices (covariance.ts). A device with an answer in S adds v₁ on average and any other v₀, so the noise is
 * (T v₁ + (1-T) v₀) / N. In laws whose answers are all alike, v₁ and v₀ are the same for each answer of a side; in others they are the means
 * over the estimated shares. So the variance is linear in T, and the interval is a score interval as of one answer (estimate.ts).
 *
 * In k-ary response, the reports that name one of k answers are p + (k-1) q of those of devices in S and k q of the others. Their count is
 * binomial when each device sent one report, so the ends are exact where it is small (statistics/counts.ts).
 */

import { mechanismOf } from '@murmuration/shared';
import { covarianceOf } from './covariance.ts';
import { type Estimate, type People, scored, spreadOverPeople } from './estimate.ts';
import type { AnswerLaw } from './estimation.ts';
import { countOf } from './pure.ts';
import { withExactEnds } from './statistics/counts.ts';

/** Lists with more answers have no such shares: each needs the covariances of all pairs. */
export const MOST_LATER = 64;

/** Everyone gives one of the answers. */
const EVERYONE: Estimate = { estimate: 1, standardError: 0, low: 1, high: 1 };

/** For each answer, the share that gave it or a later one, from the estimates in the list's order. */
export function laterShares(law: AnswerLaw, estimates: readonly Estimate[], reports: number, { perDevice, people }: People): Estimate[] {
  const shares = estimates.map(({ estimate }) => Math.max(0, estimate));
  return estimates.map((_, from) => {
    if (from === 0) return EVERYONE;
    /** The noise when all devices have answers on one side. */
    const noiseOf = (isIn: boolean): number => {
      const side = shares.map((share, u) => (u >= from === isIn ? share : 0));
      const known = side.some((share) => share > 0) ? side : shares.map((_, u) => Number(u >= from === isIn));
      const covariance = covarianceOf(law, known, reports, perDevice);
      let sum = 0;
      for (let u = from; u < shares.length; u++) for (let v = from; v < shares.length; v++) sum += covariance(u, v);
      return sum;
    };
    const [inside, outside] = [noiseOf(true), noiseOf(false)];
    const sum = estimates.slice(from).reduce((total, { estimate }) => total + estimate, 0);
    const later = scored(sum, spreadOverPeople({ constant: outside, slope: inside - outside, curve: 0 }, people));
    if (law.mechanism !== 'k-ary' || perDevice > 1) return later;
    const { p, q } = mechanismOf(law).support(law);
    const noise = (estimates.length - from) * q;
    const count = reports * (noise + (p - q) * sum);
    return withExactEnds(later, Math.round(count), countOf(reports, { p: p - q + noise, q: noise }, people));
  });
}
