/** Exact probabilities of sums of independent binomial counts, by convolution. */

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

export const varianceOf = (count: Count): number => count.reduce((sum, { trials, chance }) => sum + trials * chance * (1 - chance), 0);
