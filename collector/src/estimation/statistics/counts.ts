/** Exact probabilities of sums of independent binomial counts, by convolution, and the exact bounds of shares that follow from them. */

import type { Estimate } from '../estimate.ts';
import { endOf } from './tails.ts';

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
function binomial({ trials, chance }: Trials): Chances {
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

/**
 * The sample-ratio check of an experiment: the exact p-value of the numbers of reports of two arms, if each device was in the second one with
 * this chance. Twice the smaller tail of the binomial distribution. Below 0.001, something else than the coins decided who reports.
 */
export function sampleRatio(first: number, second: number, chance = 0.5): number {
  const count: Count = [{ trials: first + second, chance }];
  return Math.min(1, 2 * Math.min(atMost(count, second), 1 - atMost(count, second - 1)));
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
export function moved(end: number, limit: 0 | 1, at: CountAt, holds: (share: number) => boolean, enough: number = ENOUGH): number {
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
