/** Finds the strings of a metric in its tallies: levels, a search, tests, and the error bars, p-values and q-values of found strings. */

import { bytesOfText, type PrefixHashingLaw } from '@murmuration/shared';
import { type Estimate, THESE } from '../../estimation/estimate.ts';
import { deviationOf, type Levels, levelsIn, type Placed, placed, plain, within } from '../../estimation/prefixes.ts';
import { conditionalOn, selectedSum } from '../../estimation/statistics/selection.ts';
import { endOf, logUpperTail, Z95 } from '../../estimation/statistics/tails.ts';
import type { Tallies } from '../../estimation/tally.ts';
import { limitOf, type Selected, type Step, select } from './select.ts';
import { logWeightsOf } from './symbols.ts';

/** The result of a discovery. */
export interface Discovery {
  readonly reports: number;
  /** The strings that are reported, in descending order of their estimates. */
  readonly strings: readonly DiscoveredString[];
  /** Strings that were asked for and are not reported, in their order, without repetition. */
  readonly others: readonly DiscoveredString[];
  /** The share of reports that no reported string explains. */
  readonly unexplained: Estimate;
  /** A string of six small letters with this share is reported half of the time. At 1, there are too few reports for any. */
  readonly detectable: number;
}

/** How a discovery is made. */
export interface DiscoverySettings {
  /** The false discovery rate: the share of reported strings that nobody has, on average at most. */
  readonly rate?: number;
  /** How many prefixes of each length are kept. */
  readonly width?: number;
  /** Strings that are wanted in any case. */
  readonly candidates?: readonly string[];
  /** How many people were drawn from the population (estimate.ts). */
  readonly people?: number;
  /** Called after each level of each search. */
  readonly onStep?: ((step: Step) => void) | undefined;
}

/** The default false discovery rate. */
export const RATE = 0.05;
/** As many as find all that can be found among words of a million devices; docs/discovery.md. */
const WIDTH = 8_192;
/** A string of the usual length. */
const USUAL = 'string';

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Finds the strings. The same tallies give the same result. */
export function discover(law: PrefixHashingLaw, tallies: Tallies, settings: DiscoverySettings = {}): Discovery {
  const { rate = RATE, width = WIDTH, candidates = [], people = THESE, onStep } = settings;
  const found = levelsIn(law, tallies);
  const { reports } = found;
  const judged: Judged = { found, rate, people };
  const nothing: Estimate = { estimate: 1, standardError: 0, low: 0, high: 1 };
  if (reports === 0) return { reports, strings: [], others: [], unexplained: nothing, detectable: 1 };
  const outcome = select(found, width, rate, onStep);
  const { selected } = outcome;
  const wanted = new Map(
    candidates.map((text) => {
      const string = placed(law, bytesOfText(text, law.longest));
      return [string.bytes.join(), string] as const;
    }),
  );
  for (const { string } of selected) wanted.delete(string.bytes.join());
  const usual = sumOf(logWeightsOf(bytesOfText(USUAL, law.longest), law.longest));
  return {
    reports,
    strings: reported(judged, selected),
    others: [...wanted.values()].map((string) =>
      unreported(judged, { string, share: outcome.shareOf(string), logP: outcome.logP(string) }, selected.length),
    ),
    unexplained: unexplainedBy(judged, selected),
    detectable: Math.min(1, leastOf(judged, usual, Math.max(1, selected.length))),
  };
}

/*
 * What is told of strings that were tested: error bars, p-values and q-values. A string is reported because its estimate was large, so
 * estimates of strings near the limit are too large on average. The interval and the typical share allow for that
 * (statistics/selection.ts).
 */

/** A string with its share and its test. */
export interface DiscoveredString extends Estimate {
  readonly text: string;
  /** As likely too large as too small, given that the string is reported. For others, the estimate within 0 and 1. */
  readonly typical: number;
  /** At most 1, and at least the probability that chance makes any of all possible strings look as strong. */
  readonly pValue: number;
  /** The least false discovery rate at which it is reported. */
  readonly qValue: number;
  /** True if it has as many bytes as are sent, so that it may go on. */
  readonly isCut: boolean;
}

/** By what strings are judged. */
interface Judged {
  readonly found: Levels;
  readonly rate: number;
  /** How many people were drawn from the population. */
  readonly people: number;
}

/** More standard deviations than any test asks for. */
const FARTHEST = 100;

/** The least share that the test of the k-th string reports, when all levels are of the usual precision. */
function leastOf({ found: { reports, noise }, rate }: Judged, logWeight: number, k: number): number {
  const isHidden = (z: number): boolean => logUpperTail(z) - logWeight > limitOf(rate, k, logWeight);
  return endOf(0, FARTHEST, isHidden) * Math.sqrt(noise / reports);
}

/** Range of the share, given that its estimate is above a limit. A found string has a report at least, of which `one` is the share. */
function conditional(estimate: number, deviation: number, limit: number, one: number): Pick<DiscoveredString, 'low' | 'typical' | 'high'> {
  const z = estimate / deviation;
  const { low, middle, high } = conditionalOn(z, Math.min(z, limit / deviation));
  const held = (share: number): number => Math.max(one, within(share));
  return { low: held(low * deviation), typical: held(middle * deviation), high: held(high * deviation) };
}

/** The least false discovery rate at which each is reported, from ascending logarithms of p-values over weights. */
function qValues(logPs: readonly number[]): readonly number[] {
  const found = logPs.map((logP, i) => Math.exp(logP) / (i + 1));
  for (let i = found.length - 2; i >= 0; i--) found[i] = Math.min(found[i] as number, found[i + 1] as number);
  return found.map((q) => Math.min(1, q));
}

const textOf = ({ bytes, places }: Placed): Pick<DiscoveredString, 'text' | 'isCut'> => ({
  text: new TextDecoder().decode(bytes),
  isCut: bytes.length === places.length,
});

/** The strings that are reported, in descending order of their estimates. */
function reported(judged: Judged, strings: readonly Selected[]): readonly DiscoveredString[] {
  const ascending = [...strings].sort((a, b) => a.logP - b.logP);
  const qs = qValues(ascending.map(({ logP }) => logP));
  return ascending
    .map(({ string, logWeight, logP, share }, i): DiscoveredString => {
      const standardError = deviationOf(share, judged.people);
      const range = conditional(share.share, standardError, leastOf(judged, logWeight, strings.length), 1 / judged.found.reports);
      const pValue = Math.exp(Math.min(0, logP));
      return { ...textOf(string), estimate: share.share, standardError, ...range, pValue, qValue: qs[i] as number };
    })
    .sort((a, b) => b.estimate - a.estimate);
}

/** A string that is not reported, beside so many that are. Its interval is the plain one. */
function unreported({ people }: Judged, { string, share, logP }: Omit<Selected, 'logWeight'>, beside: number): DiscoveredString {
  const { low, high, ...estimate } = plain(share, people);
  const pValue = Math.exp(Math.min(0, logP));
  const range = { low: within(low), typical: within(share.share), high: within(high) };
  return { ...textOf(string), ...estimate, ...range, pValue, qValue: pValue / (beside + 1) };
}

/** The share that no reported string explains. Different strings have different places, whose noise is independent. */
function unexplainedBy(judged: Judged, strings: readonly Selected[]): Estimate {
  const { sum, variance } = selectedSum(
    strings.map(({ share, logWeight }) => {
      const least = leastOf(judged, logWeight, strings.length);
      return { estimate: share.share, standardError: deviationOf(share, THESE), threshold: Math.min(share.share, least) };
    }),
  );
  const f = within(sum);
  const standardError = Math.sqrt(variance + (f * (1 - f)) / judged.people);
  const estimate = within(1 - sum);
  return { estimate, standardError, low: within(estimate - Z95 * standardError), high: within(estimate + Z95 * standardError) };
}
