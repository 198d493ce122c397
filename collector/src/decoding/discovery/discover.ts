/** Finds the strings of a metric in its tallies: what each level says, a search, tests, and what is told of them. */

import { bytesOfText, type PrefixHashingLaw } from '@murmuration/shared';
import type { Estimate } from '../../estimation/estimate.ts';
import { THESE } from '../../estimation/people.ts';
import { levelsIn } from '../../estimation/prefixes/levels.ts';
import { placed } from '../../estimation/prefixes/prefix.ts';
import type { Tallies } from '../../estimation/tally.ts';
import { type Step, select } from './select.ts';
import { logWeightsOf } from './symbols.ts';
import { type Judged, leastOf, reported, type Told, unexplainedBy, unreported } from './told.ts';

/** The result of a discovery. */
export interface Discovery {
  readonly reports: number;
  /** The strings that are reported, in descending order of their estimates. */
  readonly strings: readonly Told[];
  /** Strings that were asked for and are not reported, in their order, without repetition. */
  readonly others: readonly Told[];
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
  /** How many people were drawn from the population (people.ts). */
  readonly people?: number;
  /** Told after each level of each search. */
  readonly onStep?: ((step: Step) => void) | undefined;
}

/** The default false discovery rate. */
export const RATE = 0.05;
/** As many as find all that can be found among words of a million devices; docs/discovery.md. */
const WIDTH = 8_192;
/** What is looked for is about as long. */
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
