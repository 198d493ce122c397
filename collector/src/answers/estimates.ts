/** Estimates of a metric as readers ask for them: for a range of days and a segment, each with its error bars and their basis. */

import {
  type Answer,
  answersOf,
  cellLabels,
  DAYS,
  dayText,
  isDistributionLaw,
  kindOf,
  labelOf,
  type MetricDocument,
  rangeOf,
} from '@murmuration/shared';
import { interval, shareOf } from '../estimation/distribution.ts';
import { type Among, type Estimate, peopleIn } from '../estimation/estimate.ts';
import { distributionOf, estimatesOf } from '../estimation/mechanisms/table.ts';
import { normSub, shrunk } from '../estimation/shrunk.ts';
import type { Evidence, Excluded, Tallies } from '../estimation/tally.ts';
import { type Watch, watchOf } from '../estimation/watch/watch.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import { candidateAnswersOf } from './candidates.ts';
import { type Described, type DistributionRequest, describe, inUnit, USUAL } from './distribution.ts';

/** The share of one answer. For a number: the mean, with `mean` as its answer and label. */
export interface AnswerEstimate extends Estimate {
  readonly answer: Answer | { readonly [question: string]: Answer };
  readonly label: string;
  /**
   * For lists: the nearest shares that are not negative and sum to 1. For sets, they sum to the set's limit, including padding. Biased,
   * without an interval.
   */
  readonly normSub?: number;
  /** For lists: empirical Bayes, then norm-sub. Closer to the truth on long lists; biased, without an interval. */
  readonly shrunk?: number;
  /** For distributions: shares that are not negative and sum to 1, by the method that fits the mechanism. Biased, without an interval. */
  readonly smoothed?: number;
  readonly consistent?: number;
  /** The true share, known only in demonstrations. */
  readonly truth?: number;
}

/** The true shares by label among all reports, known only in demonstrations. They do not apply to a segment or a selection of days. */
export type Truth = (app: string, metric: string) => { readonly [label: string]: number } | undefined;

/** A metric's estimates. */
export interface MetricEstimates extends About {
  /** Target of the error bars: all users, of whom those who reported are a random sample, or only those who reported. */
  readonly among: Among;
  /** `value`: the only answer is the mean, in the unit of the metric's range. Absent where answers have shares. */
  readonly unit?: 'value';
  readonly answers: readonly AnswerEstimate[];
  /**
   * Signs of crafted reports, and bounds on what crafted reports could do. Cells and cohorts are tested among the selected reports. The
   * number of ones is tested among the reports of all segments on the selected days.
   */
  readonly watch: Watch;
  /** Only for a distribution. */
  readonly distribution?: Described;
}

/** Settings of an estimate. */
export interface EstimateSettings {
  readonly minimum: number;
  readonly candidates: readonly string[];
  /** Target of the error bars. Default: the population. */
  readonly among?: Among | undefined;
  /** Only for a distribution. */
  readonly asked?: DistributionRequest | undefined;
}

/** All input of an estimate, as plain data. */
export interface EstimateRequest extends EstimateSettings {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'>;
  readonly evidence: Evidence;
  /** The true shares by label. */
  readonly shares?: ReturnType<Truth>;
}

/** The shares of a distribution's cells, and its requested statistics; undefined for other metrics. */
function distributionRows(
  document: MetricDocument,
  tallies: Tallies,
  people: number,
  asked: DistributionRequest,
): Pick<MetricEstimates, 'answers' | 'distribution'> | undefined {
  if (!('cells' in document) || !isDistributionLaw(document.law)) return undefined;
  const found = distributionOf(document.law, tallies, people);
  if (found === undefined) return { answers: [] };
  const { name, shares } = found.shape();
  const answers = cellLabels(document.range, document.cells).map((label, i) => {
    return { answer: label, label, ...interval(shareOf(found, i, i + 1)), [name]: shares[i] as number };
  });
  return { answers, distribution: describe(found, shares, document.range, asked) };
}

/** Estimates the share of each answer or candidate, or the mean of a number. */
export function estimate(request: EstimateRequest): MetricEstimates {
  const { among = 'population' } = request;
  const { document } = request.metric;
  const { tallies, ones } = request.evidence;
  const numbers = rangeOf(document);
  const watch = watchOf(document.law, tallies, ones, basisOf(document, request.evidence, among).perDevice, numbers);
  return { ...aboutOf(request), among, ...(numbers && { unit: 'value' }), ...rowsOf(request), watch };
}

/** The estimates alone. Tallies may be scaled, so that their counts are not whole. */
export function rowsOf(request: EstimateRequest): Pick<MetricEstimates, 'answers' | 'distribution'> {
  const { minimum, candidates, among = 'population', asked = USUAL, shares } = request;
  const { document } = request.metric;
  const { law } = document;
  const { tallies, reports } = request.evidence;
  const { perDevice, people } = basisOf(document, request.evidence, among);
  const numbers = rangeOf(document);
  const listed = answersOf(document);
  const sought = listed ? [] : candidateAnswersOf(document, candidates);
  const answers = numbers ? ['mean'] : (listed ?? sought.map(({ answer }) => answer));
  const estimates =
    reports < minimum || isDistributionLaw(law)
      ? []
      : estimatesOf(law, { tallies, perDevice, people, candidates: sought.map(({ text }) => text) });
  // In a set, answers and dummies together are as many as its limit.
  const total = kindOf(document).atMost?.(document) ?? 1;
  const within = (shares: readonly number[]): readonly number[] => shares.map((share) => Math.min(1, share));
  const nearest =
    listed &&
    within(
      normSub(
        estimates.map(({ estimate }) => estimate),
        total,
      ),
    );
  const learned = listed && within(shrunk(estimates, total));
  const rows = estimates.slice(0, answers.length).map((share, i): AnswerEstimate => {
    const answer = answers[i] as AnswerEstimate['answer'];
    const label = labelOf(answer);
    const estimate = numbers ? inUnit(share, numbers) : share;
    const consistent = nearest && learned && { normSub: nearest[i] as number, shrunk: learned[i] as number };
    return {
      answer,
      label,
      ...estimate,
      ...consistent,
      ...(shares && { truth: Object.hasOwn(shares, label) ? (shares[label] as number) : 0 }),
    };
  });
  if (!listed) rows.sort((a, b) => b.estimate - a.estimate);
  const enough = reports < minimum ? new Map() : tallies;
  return { answers: rows, ...distributionRows(document, enough, people, asked) };
}

// The part that every answer has: its metric, and the reports that it rests on.

/** Days that a question leaves out, and the reports of its selection on them. */
export interface ExcludedDays {
  readonly from: string;
  readonly to: string;
  readonly reports: number;
}

/** The part of an answer about what is left out; empty where nothing is. */
export function excludedIn(excluded: readonly Excluded[] | undefined): { readonly excluded?: readonly ExcludedDays[] } {
  if (excluded === undefined) return {};
  return { excluded: excluded.map(({ from, to, reports }) => ({ from: dayText(from), to: dayText(to), reports })) };
}

/** A metric, and the reports that are counted. */
export interface About {
  readonly app: string;
  readonly metric: string;
  readonly version: number;
  readonly type: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Left out because the question excludes these days. Days that are kept as a month are left out with their month. */
  readonly excluded?: readonly ExcludedDays[];
  /** Estimates from fewer reports than this are not shown. That is for readability: two answers subtracted give one device's report. */
  readonly minimum: number;
}

/** Origin of an answer, as far as it is stated. */
interface Source {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'>;
  readonly evidence: Evidence;
  readonly minimum: number;
}

const dayOrNull = (day: number | null): string | null => (day === null ? null : dayText(day));

/** The part that all answers have in common. */
export function aboutOf({ metric: published, evidence, minimum }: Source): About {
  const { app, metric, version, document } = published;
  const { type, law, epsilon } = document;
  const { reports, from, to } = evidence;
  const { mechanism } = law;
  const days = { from: dayOrNull(from), to: dayOrNull(to), ...excludedIn(evidence.excluded) };
  return { app, metric, version, type, mechanism, epsilon, reports, ...days, minimum };
}

// The basis of the error bars of a metric's reports: how many reports share a symbol, and how many people there are.

/**
 * The most reports of one device within this many days that repeat one symbol. Reports of a permanent metric are at least `every` days
 * apart. The first report after `renew` days begins a new epoch with fresh coins. So an epoch has at most ceil(renew / every) reports.
 */
export function repeatsIn(days: number, { every, permanent }: Pick<MetricDocument, 'every' | 'permanent'>): number {
  return permanent === undefined || every === 'once' ? 1 : Math.ceil(Math.min(days, DAYS[permanent.renew]) / DAYS[every]);
}

/** Basis of the error bars of some evidence. */
export interface Basis {
  /** The most reports of one device that repeat one symbol. */
  readonly perDevice: number;
  /** How many people were drawn from the population. */
  readonly people: number;
}

/** The basis of some evidence. Reports of different slots come from the same people, whether or not each slot has fresh coins. */
export function basisOf(
  document: Pick<MetricDocument, 'every' | 'permanent'>,
  { reports, from, to }: Pick<Evidence, 'reports' | 'from' | 'to'>,
  among: Among,
): Basis {
  const days = from === null || to === null ? 0 : to - from + 1;
  const { every } = document;
  return {
    perDevice: repeatsIn(days, document),
    people: peopleIn(among, reports, every === 'once' ? 1 : Math.max(1, Math.ceil(days / DAYS[every]))),
  };
}
