/**
 * Which of the sought strings are reported. A string is tested against what the reported ones leave: their devices are subtracted from
 * their places.
 *
 * At level l a string's place has X_l devices too many (levels.ts). Some are of rare strings with the same first symbols and the same bin.
 * Their expectation is the mean over the other bins of the devices at the places of this prefix, so that is subtracted, at the price of
 * 1 / (B - 1) of the level's variance. There are none at levels where the prefix is the whole string.
 *
 * The string is tested at each level j that has a symbol of its own, by the sum of the levels from j on. A test's p-value is that of a
 * binomial count by its signed root (Barndorff-Nielsen 1986), divided by the weight of the symbols from j on. For j > 0, that weight may be
 * B times as large, because one in B of the strings with the same first symbols is in the bin. The largest p-value counts. Strings are
 * reported as long as the k-th smallest is at most k times the false discovery rate (Benjamini, Hochberg 1995; by weights: Genovese,
 * Roeder, Wasserman 2006), and never with a p-value above 0.001 before the division: a very short string has a large weight.
 */

import { placeOfPrefix } from '@murmuration/shared';
import { logUpperTail } from '../statistics/normal-tail.ts';
import type { Levels } from './levels.ts';
import { type Placed, placed } from './prefix.ts';
import { search } from './search.ts';
import { logWeightsOf } from './symbols.ts';

/** A string that is reported. */
export interface Selected {
  readonly string: Placed;
  /** The logarithm of its weight. */
  readonly logWeight: number;
  /** The estimated number of devices. */
  devices: number;
  /** The logarithm of its p-value, divided by its weight. */
  logP: number;
}

/** The largest p-value of a string that is reported. */
const MOST_P = 1e-3;

/** The devices that are not explained yet, by level and place. */
type Residuals = readonly Float64Array[];

/** The devices of a string at each level, and the variance of that without anybody. */
interface Evidence {
  readonly devices: Float64Array;
  readonly variances: Float64Array;
}

/** The devices at the places of a string that are its own. */
function evidenceOf({ law, levels, noise }: Levels, residuals: Residuals, string: Placed): Evidence {
  const others = law.bins - 1;
  const devices = new Float64Array(levels.length);
  const variances = new Float64Array(levels.length);
  for (let level = 0; level < levels.length; level++) {
    const residual = residuals[level] as Float64Array;
    devices[level] = residual[string.places[level] as number] as number;
    variances[level] = (levels[level] as Levels['levels'][number]).reports * noise;
    if (level >= string.bytes.length || others === 0) continue;
    let mates = 0;
    for (let bin = 0; bin < law.bins; bin++) {
      if (bin === string.bin) continue;
      const place = placeOfPrefix(level, bin, string.first[level] as number, string.second[level] as number, law.places);
      mates += residual[place] as number;
    }
    devices[level] = (devices[level] as number) - mates / others;
    variances[level] = (variances[level] as number) * (1 + 1 / others);
  }
  return { devices, variances };
}

/** The signed root of a binomial count's likelihood ratio against chance, with at least this expected part of reports beyond it. */
export function signedRoot(reports: number, chance: number, excess: number): number {
  if (excess <= 0) return 0;
  const share = Math.min(1, chance + excess / reports);
  const term = (a: number, b: number): number => (a > 0 ? a * Math.log(a / b) : 0);
  return Math.sqrt(2 * reports * (term(share, chance) + term(1 - share, 1 - chance)));
}

/** ln P(so many devices or more where nobody's string belongs). */
function logTail({ chance, gain, noise }: Levels, reports: number, devices: number, variance: number): number {
  if (reports === 0) return Math.log(0.5);
  const widened = Math.sqrt((reports * noise) / variance);
  return logUpperTail(signedRoot(reports, chance, devices * gain) * widened);
}

/** The logarithm of a string's p-value over its weight. */
function logPOf(found: Levels, string: Placed, { devices, variances }: Evidence): number {
  const { law, levels } = found;
  const logWeights = logWeightsOf(string.bytes, law.longest);
  let [worst, reports, sum, variance, weight] = [Number.NEGATIVE_INFINITY, 0, 0, 0, 0];
  for (let level = levels.length - 1; level >= 0; level--) {
    reports += (levels[level] as Levels['levels'][number]).reports;
    sum += devices[level] as number;
    variance += variances[level] as number;
    weight += logWeights[level] ?? 0;
    if (level >= logWeights.length) continue;
    const cost = level === 0 ? -weight : Math.max(0, -weight - Math.log(law.bins));
    worst = Math.max(worst, logTail(found, reports, sum, variance) + cost);
  }
  return worst;
}

/** The largest logarithm of a string's p-value over its weight at which it is reported as the k-th. */
export const limitOf = (rate: number, k: number, logWeight: number): number => Math.min(Math.log(rate * k), Math.log(MOST_P) - logWeight);

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Rounds of the joint estimate: each string given the others. Collisions are rare, so few rounds are enough. */
const ROUNDS = 20;

/** Strings that are reported, and what is left to explain. */
class Selection {
  readonly found: Levels;
  readonly residuals: Residuals;
  readonly selected: Selected[] = [];

  constructor(found: Levels) {
    this.found = found;
    this.residuals = found.levels.map(({ devices }) => devices.slice());
  }

  /** Subtracts devices of a string from its places, in proportion to the levels' reports. */
  explain(string: Placed, devices: number): void {
    const { levels, reports } = this.found;
    for (let level = 0; level < levels.length; level++) {
      const residual = this.residuals[level] as Float64Array;
      const place = string.places[level] as number;
      residual[place] = (residual[place] as number) - (devices * (levels[level] as Levels['levels'][number]).reports) / reports;
    }
  }

  evidence(string: Placed): Evidence {
    return evidenceOf(this.found, this.residuals, string);
  }

  /** Adds the string if it is significant. */
  test(string: Placed, rate: number): boolean {
    const evidence = this.evidence(string);
    const devices = sumOf(evidence.devices);
    if (devices <= 0) return false;
    const logP = logPOf(this.found, string, evidence);
    const logWeight = logWeightsOf(string.bytes, this.found.law.longest).reduce((sum, weight) => sum + weight, 0);
    if (logP > limitOf(rate, this.selected.length + 1, logWeight)) return false;
    this.selected.push({ string, logWeight, devices, logP });
    this.explain(string, devices);
    return true;
  }

  /** Estimates all strings jointly, and tests each given the others. */
  refit(): void {
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of this.selected) {
        this.explain(each.string, -each.devices);
        const evidence = this.evidence(each.string);
        each.devices = sumOf(evidence.devices);
        if (round === ROUNDS - 1) each.logP = logPOf(this.found, each.string, evidence);
        this.explain(each.string, each.devices);
      }
    }
  }

  /** Drops strings that are not significant beside the others. */
  drop(rate: number): boolean {
    const ascending = this.selected.map(({ logP }) => logP).sort((a, b) => a - b);
    const passing = ascending.findLastIndex((logP, i) => logP <= Math.log(rate * (i + 1)));
    const isKept = ({ logP, logWeight, devices }: Selected): boolean => devices > 0 && logP <= limitOf(rate, passing + 1, logWeight);
    const dropped = this.selected.filter((each) => !isKept(each));
    for (const { string, devices } of dropped) this.explain(string, -devices);
    for (const each of dropped) this.selected.splice(this.selected.indexOf(each), 1);
    return dropped.length > 0;
  }
}

/** The outcome of the tests. */
export type Outcome = Pick<Selection, 'selected' | 'residuals' | 'evidence'>;

/** The most searches. */
const SEARCHES = 4;

/**
 * Searches and tests, strings with the most evidence first. Then searches again in what is left, until nothing more is found: what frequent
 * strings left at the places of others is gone then.
 *
 * @param width how many prefixes of each length a search keeps
 * @param rate the false discovery rate
 */
export function select(found: Levels, width: number, rate: number): Outcome {
  const selection = new Selection(found);
  for (let searches = 0; searches < SEARCHES; searches++) {
    const before = selection.selected.length;
    const levels = found.levels.map(({ reports }, level) => ({ reports, devices: selection.residuals[level] as Float64Array }));
    let rest = search({ ...found, levels }, width).map(({ bytes }) => placed(found.law, bytes));
    // A second pass, because ranks have grown.
    for (let pass = 0; pass < 2; pass++) rest = rest.filter((string) => !selection.test(string, rate));
    do selection.refit();
    while (selection.drop(rate));
    if (selection.selected.length <= before) break;
  }
  return selection;
}
