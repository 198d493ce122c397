/**
 * Exact inference from counts that are too small for normal approximations: probabilities of sums of independent binomial counts, by
 * convolution, and the bounds of shares, confidence sequences, and tests and sequences of differences that follow from them.
 */

import type { Support } from '@murmuration/shared';
import type { Estimate, Interval } from '../estimate.ts';
import { logSum, PRIOR, TUNED } from './looks.ts';
import { endOf, logGamma } from './tails.ts';

/** Independent trials that succeed with one probability. */
interface Trials {
  readonly trials: number;
  readonly chance: number;
}

/** The number of successes among all these trials. */
export type Count = readonly Trials[];

/** Probabilities of the numbers of successes, starting with `from`. The omitted ones sum to less than 1e-13. */
interface Chances {
  readonly from: number;
  readonly chances: readonly number[];
}

/** Relative to the mode's probability: smaller terms are left out. */
const NOTHING = 1e-16;

/** The binomial distribution, from its mode outwards by the ratio of neighbouring terms. */
export function binomial({ trials, chance }: Trials): Chances {
  const mode = Math.min(trials, Math.floor((trials + 1) * chance));
  const [below, above]: [number[], number[]] = [[], []];
  for (let [k, term] = [mode, 1]; k > 0; k--) {
    term *= (k * (1 - chance)) / ((trials - k + 1) * chance);
    if (!(term > NOTHING)) break;
    below.push(term);
  }
  for (let [k, term] = [mode, 1]; k < trials; k++) {
    term *= ((trials - k) * chance) / ((k + 1) * (1 - chance));
    if (!(term > NOTHING)) break;
    above.push(term);
  }
  const terms = [...below.reverse(), 1, ...above];
  const total = terms.reduce((sum, term) => sum + term, 0);
  return { from: mode - below.length, chances: terms.map((term) => term / total) };
}

function sumOf(a: Chances, b: Chances): Chances {
  const chances = Array<number>(a.chances.length + b.chances.length - 1).fill(0);
  for (const [i, x] of a.chances.entries())
    for (let j = 0; j < b.chances.length; j++) chances[i + j] = (chances[i + j] as number) + x * (b.chances[j] as number);
  return { from: a.from + b.from, chances };
}

/** P(at most this many successes). Only all counts but the largest are convolved: of the last, its sums are enough. */
export function atMost(count: Count, most: number): number {
  const parts = count.map(binomial).sort((a, b) => a.chances.length - b.chances.length);
  const last = parts.pop() ?? { from: 0, chances: [1] };
  const { from, chances } = parts.reduce(sumOf, { from: 0, chances: [1] });
  let sum = 0;
  const sums = last.chances.map((chance) => {
    sum += chance;
    return sum;
  });
  const left = most - from - last.from;
  return chances.reduce((total, chance, i) => total + (left < i ? 0 : chance * (sums[Math.min(left - i, sums.length - 1)] as number)), 0);
}

/** P(at most this many successes), however small it is: its largest probability, and the others by the ratio of neighbouring ones. */
function lowerTail({ trials, chance }: Trials, most: number): number {
  if (most >= trials || chance <= 0) return 1;
  if (most < 0 || chance >= 1) return 0;
  if (most > trials * chance) return 1 - lowerTail({ trials, chance: 1 - chance }, trials - most - 1);
  let [term, sum] = [1, 1];
  for (let k = most; k > 0 && term > NOTHING * sum; k--) {
    term *= (k * (1 - chance)) / ((trials - k + 1) * chance);
    sum += term;
  }
  const ways = logGamma(trials + 1) - logGamma(most + 1) - logGamma(trials - most + 1);
  return Math.min(1, sum * Math.exp(ways + most * Math.log(chance) + (trials - most) * Math.log1p(-chance)));
}

/**
 * The sample-ratio check of an experiment: the exact p-value of the numbers of reports of two arms, if each device was in the second one with
 * this chance. Twice the smaller tail of the binomial distribution. Below 0.001, something else than the coins decided who reports.
 */
export function sampleRatio(first: number, second: number, chance = 0.5): number {
  const trials = first + second;
  return Math.min(1, 2 * Math.min(lowerTail({ trials, chance }, second), lowerTail({ trials, chance: 1 - chance }, first)));
}

const varianceOf = (count: Count): number => count.reduce((sum, { trials, chance }) => sum + trials * chance * (1 - chance), 0);

/** A bound that is above the true share with at most this probability. */
export const lowerShare = (count: number, trials: number, probability: number): number =>
  count === 0 ? 0 : endOf(count / trials, 0, (chance) => 1 - atMost([{ trials, chance }], count - 1) > probability);

/** A bound that is below the true share with at most this probability. */
export const upperShare = (count: number, trials: number, probability: number): number =>
  count === trials ? 1 : endOf(count / trials, 1, (chance) => atMost([{ trials, chance }], count) > probability);

/*
 * Exact interval ends for counts that are too small for the normal approximation. There the score interval of a share may cover as little
 * as 78 % of the time, because one noise report where hardly any was expected is enough to exclude the truth.
 *
 * Let C be the count, which tends to be larger for a larger share f. The exact interval (Clopper and Pearson 1934) holds all f with P(C >=
 * count | f) > 2.5 % and P(C <= count | f) > 2.5 %, so it covers at least 95 % of the time for every f. It is longer than necessary on
 * average. So it is used only where the count's variance is below `ENOUGH`, and ends are only moved outwards. Above that, the score
 * interval covers 93.1 % or more for each f, and 95.0 % on average (counts enumerated, k-ary and unary responses of 2 to 500 answers, ε
 * from 0.5 to 10, 20 to 300 reports).
 */

/** The chance of a count beyond each end. */
const TAIL = 0.025;
const ENOUGH = 10;

/** The count's distribution at this share. */
export type CountAt = (share: number) => Count;

/** One end of the score interval, moved towards a limit of the shares as far as the exact test allows, if the count's variance is small. */
function moved(end: number, limit: 0 | 1, at: CountAt, holds: (share: number) => boolean, enough: number = ENOUGH): number {
  const from = Math.min(1, Math.max(0, end));
  if (from === limit || varianceOf(at(from)) >= enough || !holds(from)) return end;
  return holds(limit) ? limit : endOf(from, limit, holds);
}

/** The estimate with ends that cover even for small counts. A count that is not whole, of scaled tallies, is rounded outwards. */
export const withExactEnds = ({ low, high, ...estimate }: Estimate, count: number, at: CountAt): Estimate => ({
  ...estimate,
  low: moved(low, 0, at, (share) => 1 - atMost(at(share), Math.floor(count) - 1) > TAIL),
  high: moved(high, 1, at, (share) => atMost(at(share), Math.ceil(count)) > TAIL),
});

/*
 * Exact confidence sequences of shares, for counts that are too small for the normal one of looks.ts.
 *
 * Each of n reports supports an answer with probability s(f) = q + (p - q) f, so the count C is binomial. Against s, the likelihood ratio of
 * other probabilities θ, drawn from Beta(s m, (1 - s) m), is
 *   E = B(s m + C, (1 - s) m + n - C) / B(s m, (1 - s) m) / (s^C (1 - s)^(n - C)),
 * a martingale for every n (Robbins 1970, example 2). So all f with E < 1/α form a confidence sequence that is exact from the first report
 * (Howard, Ramdas, McAuliffe and Sekhon 2021, §3.2; Waudby-Smith, Wu and Ramdas 2023, arXiv 2202.08728, for randomized response). θ has the
 * variance s (1 - s) / (m + 1), so r of looks.ts is n / (m + 1): with N reports planned, m + 1 is N / `TUNED`, and for a wider part of the
 * prior less in proportion.
 */

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b);

/** x ln y, which is 0 where x is. */
const power = (x: number, y: number): number => (x === 0 ? 0 : x * Math.log(y));

/** ln E of a count against a probability. */
export function countEvidence(count: number, trials: number, chance: number, planned: number): number {
  if (chance <= 0) return count > 0 ? Number.POSITIVE_INFINITY : 0;
  if (chance >= 1) return count < trials ? Number.POSITIVE_INFINITY : 0;
  const likelihood = power(count, chance) + power(trials - count, 1 - chance);
  return logSum(
    PRIOR.map(([weight, wider]) => {
      const size = Math.max(1, planned / (TUNED * wider) - 1);
      const [a, b] = [chance * size, (1 - chance) * size];
      return Math.log(weight) + logBeta(a + count, b + trials - count) - logBeta(a, b) - likelihood;
    }),
  );
}

/**
 * The count's variance from which on normal sequences are used. At 200 a count's skewness is at most 0.07, which changes the probability
 * beyond z = 3 by a third on one side and as much, the other way, on the other.
 */
const ENOUGH_AT_ALL_LOOKS = 200;

/** A count of reports that support an answer. */
export interface Supported {
  readonly count: number;
  readonly trials: number;
  readonly support: Support;
}

/** True if a count is too small for a normal sequence. */
export const isSmall = ({ count, trials }: Supported): boolean => count * (1 - count / trials) < ENOUGH_AT_ALL_LOOKS;

/** The ends of an interval for one look, moved outwards to those of the exact one at this level where the count's variance is small. */
export function withExactTails({ low, high }: Interval, { count, trials, support: { p, q } }: Supported, level: number): Interval {
  const chance = (share: number): number => q + (p - q) * share;
  const at: CountAt = (share) => [{ trials, chance: chance(share) }];
  const few = (share: number): boolean => lowerTail({ trials, chance: 1 - chance(share) }, trials - Math.floor(count)) > level / 2;
  const many = (share: number): boolean => lowerTail({ trials, chance: chance(share) }, Math.ceil(count)) > level / 2;
  return { low: moved(low, 0, at, few, ENOUGH_AT_ALL_LOOKS), high: moved(high, 1, at, many, ENOUGH_AT_ALL_LOOKS) };
}

/** The ends of a confidence sequence, moved outwards to those of the exact one where the count's variance is small. */
export function withExactSequence(
  { low, high }: Interval,
  { count, trials, support }: Supported,
  planned: number,
  level: number,
): Interval {
  const { p, q } = support;
  const chance = (share: number): number => q + (p - q) * share;
  const at: CountAt = (share) => [{ trials, chance: chance(share) }];
  const holds = (share: number): boolean => countEvidence(count, trials, chance(share), planned) < -Math.log(level);
  return { low: moved(low, 0, at, holds, ENOUGH_AT_ALL_LOOKS), high: moved(high, 1, at, holds, ENOUGH_AT_ALL_LOOKS) };
}

/*
 * Exact tests and confidence sequences of the difference of two shares, for counts that are too small for the normal ones of looks.ts.
 *
 * Two sides have independent counts of reports that support an answer. Against the shares f and f + δ, each side has the evidence E
 * above, which is a martingale. The sides are independent, so the product of both is a martingale too, in whatever order their
 * reports arrive. A difference δ is rejected where the product reaches 1/α for every f (the union of hypotheses is rejected if each of them
 * is). So all other δ form a confidence sequence that is exact from the first report.
 *
 * For one look, let P_a(f) be the probability of a count as small as that of the first side or smaller, and P_b(f) of one as large as that of
 * the second or larger. Under equal shares both are at least uniform, and independent, so t = P_a P_b has P(t <= x) <= x (1 - ln x) (Fisher
 * 1925, §21.1, for two tests). The p-value takes the f that explains both best, and twice that for the two directions.
 */

type Counts = readonly [a: Supported, b: Supported];

const chanceOf = ({ support: { p, q } }: Supported, share: number): number => Math.min(1, Math.max(0, q + (p - q) * share));

const within = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));

/** The share that explains a count best. */
const shareOf = ({ count, trials, support: { p, q } }: Supported): number => within((count / trials - q) / (p - q), 0, 1);

/** The steps of a search by golden section. The last interval is 5e-4 of the first, and the least value is off by the square of that. */
const SECTIONS = 16;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The least value of a function that falls and then rises between two places. */
function least(from: number, to: number, of: (x: number) => number): number {
  let [low, high] = [from, to];
  let [one, other] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [atOne, atOther] = [of(one), of(other)];
  let found = Math.min(of(from), of(to), atOne, atOther);
  if (low === high) return found;
  for (let step = 0; step < SECTIONS; step++) {
    if (atOne < atOther) {
      [high, other, atOther] = [other, one, atOne];
      one = high - GOLDEN * (high - low);
      atOne = of(one);
    } else {
      [low, one, atOne] = [one, other, atOther];
      other = low + GOLDEN * (high - low);
      atOther = of(other);
    }
    found = Math.min(found, atOne, atOther);
  }
  return found;
}

/**
 * ln E against a difference b - a of shares: of all pairs of shares with this difference, those that explain the counts best. Counts that no
 * shares explain, such as none where the noise alone makes some, are evidence against each difference. That part is left out.
 */
export function differenceEvidence([a, b]: Counts, difference: number, planned: number): number {
  const of = (side: Supported, share: number): number => countEvidence(side.count, side.trials, chanceOf(side, share), planned);
  const [first, last] = [Math.max(0, -difference), Math.min(1, 1 - difference)];
  const ends = [shareOf(a), shareOf(b) - difference].map((share) => within(share, first, last));
  const found = least(Math.min(...ends), Math.max(...ends), (share) => of(a, share) + of(b, share + difference));
  return found - Math.max(0, of(a, shareOf(a)) + of(b, shareOf(b)));
}

/** Halvings of the range of differences: an end is known to 2e-6. */
const HALVINGS = 20;

/** The confidence sequence of a difference b - a. */
export function differenceSequence(counts: Counts, planned: number, level: number): Interval {
  const found = shareOf(counts[1]) - shareOf(counts[0]);
  const holds = (difference: number): boolean => differenceEvidence(counts, difference, planned) < -Math.log(level);
  const end = (limit: number): number => {
    if (holds(limit)) return limit;
    let [inside, outside] = [found, limit];
    for (let step = 0; step < HALVINGS; step++) {
      const middle = (inside + outside) / 2;
      if (holds(middle)) inside = middle;
      else outside = middle;
    }
    return outside;
  };
  return { low: end(-1), high: end(1) };
}

/** The p-value of equal shares at one look. Counts that are not whole are rounded towards each other. */
export function equalSharesPValue([a, b]: Counts): number {
  const [low, high] = shareOf(a) <= shareOf(b) ? [a, b] : [b, a];
  const logOf = (share: number): number => {
    const small = atMost([{ trials: low.trials, chance: chanceOf(low, share) }], Math.ceil(low.count));
    const large = 1 - atMost([{ trials: high.trials, chance: chanceOf(high, share) }], Math.floor(high.count) - 1);
    return -Math.log(Math.max(Number.MIN_VALUE, small)) - Math.log(Math.max(Number.MIN_VALUE, large));
  };
  const t = Math.exp(-least(shareOf(low), shareOf(high), logOf));
  return Math.min(1, 2 * t * (1 - Math.log(Math.max(Number.MIN_VALUE, t))));
}
