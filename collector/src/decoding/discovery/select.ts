/**
 * Selection of the strings that are reported. A string is tested against what the reported ones leave: their devices are subtracted from
 * their places.
 *
 * At each level a string has a normal score. It is tested at each level j that has a symbol of its own, by the scores of the
 * levels from j on, weighted by the square roots of their reports (Stouffer 1949). A string that has the first j symbols of others, and then
 * goes on as nobody does, has chance scores from level j on. So its p-value is the largest over j, each divided by the weight of the symbols
 * from j on (symbols.ts). For j > 0 it is also multiplied by the number of reported strings, as each may be left at its symbol j. Strings
 * are reported as long as the k-th smallest is at most k times the false discovery rate (Benjamini, Hochberg 1995; by weights: Genovese,
 * Roeder, Wasserman 2006). Two limits come on top: the expected number of reported strings that nobody has is at most 1/2, and no p-value
 * is above 0.001 before the division, because a very short string has a large weight.
 */

import { type Levels, type Placed, placed, type Residuals, type Share, shareOf } from '../../estimation/prefixes.ts';
import { logUpperTail } from '../../estimation/statistics/tails.ts';
import { type Reached, search } from './search.ts';
import { logWeightsOf } from './symbols.ts';

/** How far a discovery is: which search runs, how far that is, and how many strings the searches before it found. */
export interface Step extends Reached {
  readonly search: number;
  readonly found: number;
}

/** A string that is reported. */
export interface Selected {
  readonly string: Placed;
  /** The logarithm of its weight. */
  readonly logWeight: number;
  share: Share;
  /** The logarithm of its p-value over its weight. */
  logP: number;
}

/** The most strings that nobody has which are expected among those reported, however many these are. */
const MOST_FALSE = 0.5;
/** The largest p-value of a string that is reported. */
const MOST_P = 1e-3;
/** Rounds of the joint estimate: each string given the others. Collisions are rare, so few rounds are enough. */
const ROUNDS = 12;
/** How often strings are dropped after a search at most. One time is usual; tallies that no devices sent may need many. */
const DROPS = 4;
/** The most searches. */
const SEARCHES = 4;

/** The largest logarithm of a string's p-value over its weight at which it is reported as the k-th. */
export const limitOf = (rate: number, k: number, logWeight: number): number =>
  Math.min(Math.log(Math.min(MOST_FALSE, rate * k)), Math.log(MOST_P) - logWeight);

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Strings that are reported, and what is left to explain. */
class Selection {
  readonly found: Levels;
  readonly residuals: Residuals;
  readonly selected: Selected[] = [];
  #ranks: readonly Ranks[] = [];

  constructor(found: Levels) {
    this.found = found;
    this.residuals = found.levels.map(({ devices }) => devices.slice());
    this.rank();
  }

  /** Ranks what is left. */
  rank(): void {
    this.#ranks = this.residuals.map((residual) => new Ranks(residual));
  }

  /** The scores by place, for a search. */
  scores(): readonly Float64Array[] {
    return this.residuals.map((residual, level) => residual.map((value) => (this.#ranks[level] as Ranks).scoreOf(value)));
  }

  /** Subtracts a share of the devices from a string's places. */
  explain(string: Placed, share: number): void {
    this.found.levels.forEach(({ reports }, level) => {
      const residual = this.residuals[level] as Float64Array;
      const place = string.places[level] as number;
      residual[place] = (residual[place] as number) - share * reports;
    });
  }

  shareOf(string: Placed): Share {
    return shareOf(this.found, this.residuals, string);
  }

  /** The logarithm of a string's p-value over its weight. */
  logP(string: Placed): number {
    const { law, levels } = this.found;
    const logWeights = logWeightsOf(string.bytes, law.longest);
    const leaves = Math.log(this.selected.length + 1);
    let [worst, reports, sum, logWeight] = [Number.NEGATIVE_INFINITY, 0, 0, 0];
    for (let level = levels.length - 1; level >= 0; level--) {
      const own = (levels[level] as Levels['levels'][number]).reports;
      const value = (this.residuals[level] as Float64Array)[string.places[level] as number] as number;
      reports += own;
      sum += Math.sqrt(own) * (this.#ranks[level] as Ranks).scoreOf(value);
      if (level >= logWeights.length) continue;
      logWeight += logWeights[level] as number;
      const logP = logUpperTail(reports > 0 ? sum / Math.sqrt(reports) : 0) - logWeight;
      worst = Math.max(worst, level > 0 ? logP + leaves : logP);
    }
    return worst;
  }

  /** Adds the string if it is significant. */
  test(string: Placed, rate: number): boolean {
    const logWeight = sumOf(logWeightsOf(string.bytes, this.found.law.longest));
    const logP = this.logP(string);
    if (logP > limitOf(rate, this.selected.length + 1, logWeight)) return false;
    const share = this.shareOf(string);
    if (!(share.share > 0)) return false;
    this.selected.push({ string, logWeight, share, logP });
    this.explain(string, share.share);
    return true;
  }

  /** Estimates all strings jointly, and tests each given the others. */
  refit(): void {
    const each = (update: (selected: Selected) => void): void => {
      for (const selected of this.selected) {
        this.explain(selected.string, -selected.share.share);
        update(selected);
        this.explain(selected.string, selected.share.share);
      }
    };
    for (let round = 0; round < ROUNDS; round++)
      each((selected) => {
        selected.share = this.shareOf(selected.string);
      });
    this.rank();
    each((selected) => {
      selected.logP = this.logP(selected.string);
    });
  }

  /** Drops strings that are not significant beside the others, and says whether there were any. */
  drop(rate: number): boolean {
    const ascending = this.selected.map(({ logP }) => logP).sort((a, b) => a - b);
    const passing = 1 + ascending.findLastIndex((logP, i) => logP <= Math.log(rate * (i + 1)));
    const isKept = ({ logP, logWeight, share }: Selected): boolean => share.share > 0 && logP <= limitOf(rate, passing, logWeight);
    const [kept, dropped] = [this.selected.filter(isKept), this.selected.filter((each) => !isKept(each))];
    for (const { string, share } of dropped) this.explain(string, -share.share);
    this.selected.splice(0, this.selected.length, ...kept);
    return dropped.length > 0;
  }
}

/** The outcome of the tests. */
type Outcome = Pick<Selection, 'selected' | 'shareOf' | 'logP'>;

/**
 * Searches and tests, strings with the most evidence first. Then searches again in what is left, until nothing more is found: what frequent
 * strings left at the places of others is gone then.
 *
 * @param width how many prefixes of each length a search keeps
 * @param rate the false discovery rate
 * @param onStep told after each level of each search
 */
export function select(found: Levels, width: number, rate: number, onStep?: (step: Step) => void): Outcome {
  const selection = new Selection(found);
  for (let searches = 0; searches < SEARCHES; searches++) {
    const before = selection.selected.length;
    const reports = found.levels.map((level) => level.reports);
    const tell = onStep && ((how: Reached): void => onStep({ ...how, search: searches + 1, found: before }));
    let rest = search(found.law, reports, selection.scores(), width, tell).map((bytes) => placed(found.law, bytes));
    // A second pass, because ranks have grown.
    for (let pass = 0; pass < 2; pass++) rest = rest.filter((string) => !selection.test(string, rate));
    selection.refit();
    for (let drops = 0; drops < DROPS && selection.drop(rate); drops++) selection.refit();
    if (selection.selected.length <= before) break;
  }
  return selection;
}

/**
 * Evidence by ranks. The hash of a level takes a prefix to a place as if by chance. So where nobody has a prefix, the devices at its place
 * are a random draw of the devices at all places, whatever those hold: noise, rare strings, frequent ones that share the place. The rank
 * among all places is therefore uniform, and its normal score (van der Waerden 1952) is a normal variable. Counts themselves would not do:
 * one place that a frequent prefix shares would outweigh all other levels.
 */
const STEPS = 2;
const known = new Map<number, Float64Array>();

/** Φ⁻¹((i + 1/2) / d) for i = 0 .. d - 1, by Newton steps on the logarithm of the tail, from the middle outwards. */
function normalScores(d: number): Float64Array {
  const found = known.get(d);
  if (found !== undefined) return found;
  const scores = new Float64Array(d);
  for (let [i, z] = [Math.ceil(d / 2), 0]; i < d; i++) {
    const wanted = Math.log((d - i - 0.5) / d);
    for (let step = 0; step < STEPS; step++) {
      const log = logUpperTail(z);
      z += (log - wanted) * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2 + log);
    }
    scores[i] = z;
    scores[d - 1 - i] = -z;
  }
  known.set(d, scores);
  return scores;
}

/** The first index at which ascending numbers are at least a value, or above it. */
function firstAt(sorted: Float64Array, value: number, isAbove: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = sorted[middle] as number;
    if (there < value || (isAbove && there === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ranks of a level. */
export class Ranks {
  readonly #sorted: Float64Array;
  readonly #scores: Float64Array;

  /** @param values the devices by place */
  constructor(values: Float64Array) {
    this.#sorted = values.slice().sort();
    this.#scores = normalScores(values.length);
  }

  /** The normal score of a number of devices; equal ones have the score of their mean rank. */
  scoreOf(value: number): number {
    const sorted = this.#sorted;
    const last = sorted.length - 1;
    const first = firstAt(sorted, value, false);
    // Most values are there once, which needs no second search.
    const after = sorted[first] !== value ? first : sorted[first + 1] !== value ? first + 1 : firstAt(sorted, value, true);
    const rank = Math.min(last, Math.max(0, (first + after - 1) / 2));
    return ((this.#scores[Math.floor(rank)] as number) + (this.#scores[Math.ceil(rank)] as number)) / 2;
  }
}
