/**
 * Exact tests and confidence sequences of the difference of two shares, for counts that are too small for the normal ones of looks.ts.
 *
 * Two sides have independent counts of reports that support an answer. Against the shares f and f + δ, each side has the evidence E of
 * count-sequence.ts, which is a martingale. The sides are independent, so the product of both is a martingale too, in whatever order their
 * reports arrive. A difference δ is rejected where the product reaches 1/α for every f (the union of hypotheses is rejected if each of them
 * is). So all other δ form a confidence sequence that is exact from the first report.
 *
 * For one look, let P_a(f) be the probability of a count as small as that of the first side or smaller, and P_b(f) of one as large as that of
 * the second or larger. Under equal shares both are at least uniform, and independent, so t = P_a P_b has P(t <= x) <= x (1 - ln x) (Fisher
 * 1925, §21.1, for two tests). The p-value takes the f that explains both best, and twice that for the two directions.
 */

import type { Interval } from '../estimate.ts';
import { countEvidence, type Supported } from './count-sequence.ts';
import { atMost } from './counts.ts';

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
