/**
 * The strings of a discovery, with error bars. A string is reported because its estimate was large, so estimates of strings near the limit
 * are too large on average. The interval allows for that: it holds the shares f for which an estimate this large is likely among those that
 * are reported at all. With x the estimate, s its standard error and c the least estimate that is reported,
 *   P(X > x | X > c) = Q((x - f) / s) / Q((c - f) / s)
 * lies between 2.5 % and 97.5 % (Zhong, Prentice 2008, "Bias-reduced estimators and confidence intervals for odds ratios in genome-wide
 * association studies", for one normal estimate that passed a threshold). Far above the limit it is the usual interval.
 */

import { bytesOfText, type PrefixHashingLaw } from '@murmuration/shared';
import { type Estimate, endOf, Z95 } from '../estimators/estimate.ts';
import { THESE } from '../estimators/people.ts';
import { logUpperTail } from '../statistics/normal-tail.ts';
import type { Tallies } from '../store/store.ts';
import { type Levels, levelsIn } from './levels.ts';
import { placed } from './prefix.ts';
import { limitOf, type Outcome, select } from './select.ts';
import type { Share } from './share.ts';

/** A string that was found. */
export interface Discovered extends Estimate {
  readonly text: string;
  /** The least false discovery rate at which it is reported. */
  readonly qValue: number;
  /** Whether it has as many bytes as are sent, so that it may go on. */
  readonly isCut: boolean;
}

/** The result of a discovery. */
export interface Discovery {
  readonly reports: number;
  /** In descending order of their estimates. */
  readonly strings: readonly Discovered[];
  /** The share of reports that no string explains. */
  readonly unexplained: number;
  /** Estimates of strings that were asked for, in their order. Their intervals are unconditional. */
  readonly candidates: readonly Estimate[];
}

/** How a discovery is made. */
export interface DiscoverySettings {
  /** The false discovery rate: the share of reported strings that nobody has, on average at most. */
  readonly rate?: number;
  /** How many prefixes of each length are kept; with 0, only candidates are estimated. */
  readonly width?: number;
  readonly candidates?: readonly string[];
  /** How many people were drawn from the population (people.ts). */
  readonly people?: number;
}

/** The default false discovery rate. */
export const RATE = 0.05;
/** As many as find all that can be found among words of a million devices; docs/discovery.md. */
const WIDTH = 8_192;
const TAIL = 0.025;
/** More standard deviations than any test asks for. */
const FARTHEST = 100;

/** The standard error of a string's share among all users, or with infinitely many people among those who reported. */
function deviationOf({ share, constant, slope }: Share, people: number): number {
  const f = Math.min(1, Math.max(0, share));
  return Math.sqrt(constant + f * slope + (f * (1 - f)) / people);
}

/** The least share that a string's test over all levels reports, when all are of the usual precision. */
function leastOf({ reports, noise }: Levels, logWeight: number, rate: number, count: number): number {
  const isHidden = (z: number): boolean => logUpperTail(z) - logWeight > limitOf(rate, count, logWeight);
  return endOf(0, FARTHEST, isHidden) * Math.sqrt(noise / reports);
}

/** The interval of an estimate, given that it is above a limit. */
function conditional(estimate: number, deviation: number, limit: number): readonly [low: number, high: number] {
  const above = (f: number): number => Math.exp(logUpperTail((estimate - f) / deviation) - logUpperTail((limit - f) / deviation));
  const far = 40 * deviation;
  if (limit >= estimate) return [Math.min(0, estimate), estimate + Z95 * deviation];
  return [
    endOf(estimate, estimate - far, (f) => above(f) >= TAIL),
    endOf(estimate, estimate + Z95 * 2 * deviation, (f) => above(f) <= 1 - TAIL),
  ];
}

/** The least false discovery rate at which each is reported, from ascending logarithms of p-values. */
function qValues(logPs: readonly number[]): readonly number[] {
  const found = logPs.map((logP, i) => Math.exp(logP) / (i + 1));
  for (let i = found.length - 2; i >= 0; i--) found[i] = Math.min(found[i] as number, found[i + 1] as number);
  return found.map((q) => Math.min(1, q));
}

/** The estimate of a string that was asked for, besides those that were found. */
function candidateOf({ law }: Levels, outcome: Outcome, text: string, people: number): Estimate {
  const string = placed(law, bytesOfText(text, law.longest));
  const key = string.bytes.join();
  const share = outcome.selected.find((each) => each.string.bytes.join() === key)?.share ?? outcome.shareOf(string);
  const standardError = deviationOf(share, people);
  const [low, high] = [share.share - Z95 * standardError, share.share + Z95 * standardError];
  return { estimate: share.share, standardError, low, high };
}

/** Finds the strings of a metric in its tallies. The same tallies give the same result. */
export function discover(law: PrefixHashingLaw, tallies: Tallies, settings: DiscoverySettings = {}): Discovery {
  const { rate = RATE, width = WIDTH, candidates = [], people = THESE } = settings;
  const found = levelsIn(law, tallies);
  const { reports } = found;
  if (reports === 0) return { reports, strings: [], unexplained: 1, candidates: [] };
  const outcome = select(found, width, rate);
  const selected = [...outcome.selected].sort((a, b) => a.logP - b.logP);
  const qs = qValues(selected.map(({ logP }) => logP));
  const strings = selected.map(({ string, logWeight, share }, i): Discovered => {
    const estimate = share.share;
    const standardError = deviationOf(share, people);
    const [low, high] = conditional(estimate, standardError, leastOf(found, logWeight, rate, selected.length));
    const text = new TextDecoder().decode(string.bytes);
    return { text, estimate, standardError, low, high, qValue: qs[i] as number, isCut: string.bytes.length === law.longest };
  });
  strings.sort((a, b) => b.estimate - a.estimate);
  return {
    reports,
    strings,
    unexplained: 1 - strings.reduce((sum, { estimate }) => sum + estimate, 0),
    candidates: candidates.map((text) => candidateOf(found, outcome, text, people)),
  };
}
