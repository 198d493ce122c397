/**
 * The estimator of every pure protocol (Wang et al. 2017, §3.1, equations 1 and 2). When C of n reports support an answer, f = (C/n - q) /
 * (p - q) is unbiased, with variance given the data (f p(1-p) + (1-f) q(1-q)) / (n (p-q)²).
 *
 * Reports of one device in one epoch share the noise of its stored symbol. Let v₁ be the variance of a single report's estimate and v∞ that
 * of the symbol's own (p∞, q∞). Then m reports of one symbol add m (v₁ - v∞) + m² v∞ to the variance of the sum. Symbols of other epochs
 * have coins of their own. With at most T reports of one symbol, Σ m² <= T Σ m, so the mean of N reports in all has variance at most (v₁ +
 * (T - 1) v∞) / N. Equality holds when all epochs have T reports. When the range cuts some epochs off, these have fewer reports and the
 * variance is a little less.
 *
 * For a population's share f, m people are a sample, which adds f (1-f) / m (estimate.ts). When each sent one report, the sum of both is s
 * (1-s) / (n (p-q)²), s = q + (p-q) f, because the count is binomial.
 */

import { type ListLaw, mechanismOf, type Support } from '@murmuration/shared';
import { type Estimate, scored, spreadOverPeople, THESE, type Variance } from './estimate.ts';
import type { ListEstimation } from './estimation.ts';
import { type CountAt, withExactEnds } from './statistics/counts.ts';
import { addSupports, reportsIn, type Tallies } from './tally.ts';
import { boundsOfSupport, leverageOfSupport } from './watch/bounds.ts';

/** The number of reports, and for each answer the number that support it. */
interface Supports {
  readonly reports: number;
  readonly cells: Float64Array;
}

/** The variance of one report's estimate, linear in the frequency. */
function varianceOf({ p, q }: Support): Variance {
  const gain = (p - q) * (p - q);
  return { constant: (q * (1 - q)) / gain, slope: (p * (1 - p) - q * (1 - q)) / gain, curve: 0 };
}

/** The variance of an estimate given the data, from N reports of which up to `perDevice` repeat one symbol. */
export function rangeVariance(report: Support, permanent: Support, reports: number, perDevice: number): Variance {
  const [one, epoch] = [varianceOf(report), varianceOf(permanent)];
  const over = (part: keyof Variance): number => (one[part] + (perDevice - 1) * epoch[part]) / reports;
  return { constant: over('constant'), slope: over('slope'), curve: 0 };
}

/** The count among the reports of these very people: each has the answer or not. */
function countAmong(reports: number, { p, q }: Support): CountAt {
  return (share) => {
    const whole = Math.floor(share * reports);
    const part = share * reports - whole;
    return [
      { trials: whole, chance: p },
      { trials: Math.max(0, reports - whole - 1), chance: q },
      { trials: whole < reports ? 1 : 0, chance: q + (p - q) * part },
    ];
  };
}

/** The count among the reports of people who were drawn independently. */
const countDrawn =
  (trials: number, { p, q }: Support): CountAt =>
  (share) => [{ trials, chance: q + (p - q) * share }];

/**
 * The law of a count, depending on whom the estimate describes: people drawn from a population or, with infinitely many, these very people.
 * The reports of scaled tallies sum to a whole number, except for floating-point errors.
 */
export const countOf = (reports: number, support: Support, people: number): CountAt =>
  (people === THESE ? countAmong : countDrawn)(Math.round(reports), support);

/*
 * Reports of one device are not independent, whether they repeat a symbol or only an answer. Their count is then judged as that of fewer
 * reports, each of another device: of so many that it varies as the estimate does. A device's mean over T reports varies between that of one
 * report and 1/T of it, so there are between 1/T of the reports and all of them. This is exact for one report of each device. For more, it
 * keeps the skewness of small counts, which normal intervals and tests miss, and is nearly exact.
 */

/** How many reports, each of another device, vary as an estimate does. Its standard error is that in the middle of its interval. */
export function alikeReports(support: Support, { standardError, low, high }: Estimate, people: number): number {
  const share = Math.min(1, Math.max(0, (low + high) / 2));
  const { constant, slope, curve } = spreadOverPeople(varianceOf(support), people === THESE ? THESE : 1);
  return Math.max(1, Math.round((constant + slope * share - curve * share * share) / standardError ** 2));
}

/**
 * The estimates of all cells of a tally. Ends are exact where counts are small and each device sent one report, and otherwise nearly exact.
 *
 * @param people how many were drawn from the population; left out when the shares describe only these people
 */
export function pureEstimates(
  { reports, cells }: Supports,
  report: Support,
  permanent: Support,
  perDevice: number,
  people: number = THESE,
): Estimate[] {
  const { p, q } = report;
  const variance = spreadOverPeople(rangeVariance(report, permanent, reports, perDevice), people);
  const isOnce = perDevice === 1 && people >= reports;
  const ofCount = (count: number): Estimate => {
    const estimate = scored((count / reports - q) / (p - q), variance);
    const alike = isOnce ? reports : Math.min(reports, alikeReports(report, estimate, people));
    return withExactEnds(estimate, (count * alike) / reports, countOf(alike, report, people));
  };
  const known = new Map<number, Estimate>(); // cached, since long lists have many equal counts
  return Array.from(cells, (count) => {
    const found = known.get(count) ?? ofCount(count);
    known.set(count, found);
    return found;
  });
}

/**
 * The same where devices may have an answer in part. A set of l answers that is sampled down to L counts w = L/l of a device for each of
 * them. Other devices have w = 0 or 1, and f is the mean of w. A report supports the answer with probability s = q + (p-q) w, so given the
 * data n Var(f^) is the mean of s (1-s) / (p-q)². A tally can't distinguish parts w from whole devices. As the mean of w² is at least f²,
 * this is at most S (1-S) / (p-q)², S = q + (p-q) f, with equality when all devices have the same part; the binomial count is the most
 * spread out of all (Hoeffding 1956, theorem 4). That is also the variance over people who were drawn, where whole devices spread the most.
 * So both kinds of shares use the interval for drawn people. For the shares of these very people it is too wide by f (1-f) / n when all
 * devices are whole.
 */
export const partEstimates = (supports: Supports, support: Support, people: number = THESE): Estimate[] =>
  pureEstimates(supports, support, support, 1, Math.min(people, supports.reports));

/**
 * Builds the estimation of a list from the parts specific to its mechanism. Each answer is estimated from the reports that support it. Uses
 * the mechanism's transform where answers have more than one cell each.
 */
export function pureList<L extends ListLaw>(
  supports: (law: L, tallies: Tallies) => Float64Array = addSupports,
): Omit<ListEstimation<L>, 'named' | 'fit' | 'simulated'> {
  const supportBy = (law: L) => mechanismOf(law as ListLaw).support(law);
  const stored = (law: L) => mechanismOf(law as ListLaw).support(law, 'permanent');
  return {
    supports,
    estimates: (law, { tallies, perDevice, people = THESE }) =>
      tallies.size === 0
        ? []
        : pureEstimates({ reports: reportsIn(tallies), cells: supports(law, tallies) }, supportBy(law), stored(law), perDevice, people),
    bounds: (law) => boundsOfSupport(supportBy(law)),
    leverage: (law) => leverageOfSupport(supportBy(law)),
    noiseAt: (law, reports, share) => {
      const { constant, slope } = rangeVariance(supportBy(law), supportBy(law), reports, 1);
      return constant + slope * share;
    },
    theory: (law, tallies, truth, perDevice) => {
      const { constant, slope } = rangeVariance(supportBy(law), stored(law), reportsIn(tallies), perDevice);
      return constant + slope * (truth.reduce((sum, share) => sum + share, 0) / truth.length);
    },
  };
}
