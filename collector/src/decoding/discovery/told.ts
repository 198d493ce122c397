/**
 * What is told of strings that were tested: error bars, p-values and q-values. A string is reported because its estimate was large, so
 * estimates of strings near the limit are too large on average. The interval and the typical share allow for that
 * (statistics/truncated-normal.ts).
 */

import type { Estimate } from '../../estimation/estimate.ts';
import { THESE } from '../../estimation/people.ts';
import { deviationOf, plain, within } from '../../estimation/prefixes/estimates.ts';
import type { Levels } from '../../estimation/prefixes/levels.ts';
import type { Placed } from '../../estimation/prefixes/prefix.ts';
import { endOf } from '../../estimation/statistics/bisection.ts';
import { Z95 } from '../../estimation/statistics/normal.ts';
import { logUpperTail } from '../../estimation/statistics/normal-tail.ts';
import { selectedSum } from '../../estimation/statistics/selected-sum.ts';
import { conditionalOn } from '../../estimation/statistics/truncated-normal.ts';
import { limitOf, type Selected } from './select.ts';

/** A string with its share and its test. */
export interface Told extends Estimate {
  readonly text: string;
  /** As likely too large as too small, given that the string is reported. For others, the estimate within 0 and 1. */
  readonly typical: number;
  /** At most 1, and at least the probability that chance makes any of all possible strings look as strong. */
  readonly pValue: number;
  /** The least false discovery rate at which it is reported. */
  readonly qValue: number;
  /** Whether it has as many bytes as are sent, so that it may go on. */
  readonly isCut: boolean;
}

/** By what strings are judged. */
export interface Judged {
  readonly found: Levels;
  readonly rate: number;
  /** How many people were drawn from the population. */
  readonly people: number;
}

/** More standard deviations than any test asks for. */
const FARTHEST = 100;

/** The least share that the test of the k-th string reports, when all levels are of the usual precision. */
export function leastOf({ found: { reports, noise }, rate }: Judged, logWeight: number, k: number): number {
  const isHidden = (z: number): boolean => logUpperTail(z) - logWeight > limitOf(rate, k, logWeight);
  return endOf(0, FARTHEST, isHidden) * Math.sqrt(noise / reports);
}

/** What the share can be, given that its estimate is above a limit. */
function conditional(estimate: number, deviation: number, limit: number): Pick<Told, 'low' | 'typical' | 'high'> {
  const z = estimate / deviation;
  const { low, middle, high } = conditionalOn(z, Math.min(z, limit / deviation));
  return { low: within(low * deviation), typical: within(middle * deviation), high: within(high * deviation) };
}

/** The least false discovery rate at which each is reported, from ascending logarithms of p-values over weights. */
function qValues(logPs: readonly number[]): readonly number[] {
  const found = logPs.map((logP, i) => Math.exp(logP) / (i + 1));
  for (let i = found.length - 2; i >= 0; i--) found[i] = Math.min(found[i] as number, found[i + 1] as number);
  return found.map((q) => Math.min(1, q));
}

const textOf = ({ bytes, places }: Placed): Pick<Told, 'text' | 'isCut'> => ({
  text: new TextDecoder().decode(bytes),
  isCut: bytes.length === places.length,
});

/** The strings that are reported, in descending order of their estimates. */
export function reported(judged: Judged, strings: readonly Selected[]): readonly Told[] {
  const ascending = [...strings].sort((a, b) => a.logP - b.logP);
  const qs = qValues(ascending.map(({ logP }) => logP));
  return ascending
    .map(({ string, logWeight, logP, share }, i): Told => {
      const standardError = deviationOf(share, judged.people);
      const range = conditional(share.share, standardError, leastOf(judged, logWeight, strings.length));
      const pValue = Math.exp(Math.min(0, logP));
      return { ...textOf(string), estimate: share.share, standardError, ...range, pValue, qValue: qs[i] as number };
    })
    .sort((a, b) => b.estimate - a.estimate);
}

/** A string that is not reported, beside so many that are. Its interval is the plain one. */
export function unreported({ people }: Judged, { string, share, logP }: Omit<Selected, 'logWeight'>, beside: number): Told {
  const { low, high, ...estimate } = plain(share, people);
  const pValue = Math.exp(Math.min(0, logP));
  const range = { low: within(low), typical: within(share.share), high: within(high) };
  return { ...textOf(string), ...estimate, ...range, pValue, qValue: pValue / (beside + 1) };
}

/** The share that no reported string explains. Different strings have different places, whose noise is independent. */
export function unexplainedBy(judged: Judged, strings: readonly Selected[]): Estimate {
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
