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
  type Range,
  rangeOf,
} from '@murmuration/shared';
import { isAnswerLaw } from '../estimation/covariance.ts';
import { drawnOf } from '../estimation/distribution.ts';
import { type Among, type Estimate, type Interval, peopleIn } from '../estimation/estimate.ts';
import type { AnswerLaw } from '../estimation/estimation.ts';
import { laterShares, MOST_LATER } from '../estimation/later.ts';
import { distributionOf, estimatesOf } from '../estimation/mechanisms/table.ts';
import { intervalsOf, type Judged, judgedOf, judgedShare } from '../estimation/sequences.ts';
import { normSub, shrunk } from '../estimation/shrunk.ts';
import { LEVEL, type Looks } from '../estimation/statistics/looks.ts';
import { normalTail } from '../estimation/statistics/tails.ts';
import type { Evidence, Excluded, Tallies } from '../estimation/tally.ts';
import { type Watch, watchOf } from '../estimation/watch/watch.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import { candidateAnswersOf } from './candidates.ts';
import { type Described, type DistributionRequest, describe, endsInUnit, inUnit, USUAL } from './distribution.ts';
import { bestOf, type OptionUtility, optionsOf } from './options.ts';
import { isGiven, type JudgedAnswers, noVerdict, tooFew, type Verdict, type Verdicts, verdictOn } from './verdict.ts';

/** The share of one answer. For a number: the mean, with `mean` as its answer and label. */
export interface AnswerEstimate extends Estimate {
  readonly answer: Answer | { readonly [question: string]: Answer };
  readonly label: string;
  /** The interval that holds at every look, for verdicts that do. */
  readonly always?: Interval;
  /** The interval that holds for all answers together, if it is asked for. */
  readonly together?: Interval;
  /** The share of this answer and all later ones of the list, if it is asked for. */
  readonly orLater?: Estimate;
  /**
   * For lists: the nearest shares that are not negative and sum to 1. For sets, they sum to the set's limit, including padding. Biased,
   * without an interval.
   */
  readonly normSub?: number;
  /** For lists: empirical Bayes, then norm-sub. Closer to the truth on long lists; biased, without an interval. */
  readonly shrunk?: number;
  /**
   * For distributions: the share as it is drawn, of the cells' shares that are positive and sum to 1 and as smooth as the reports ask.
   * Biased, and closer to the truth than `estimate`. Its band covers 95 % on average over cells.
   */
  readonly smoothed?: number;
  readonly smoothedLow?: number;
  readonly smoothedHigh?: number;
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
  /** Absent if it is not asked for. */
  readonly verdict?: Verdict;
  /**
   * Signs of crafted reports, and bounds on what crafted reports could do. Cells and cohorts are tested among the selected reports. The
   * number of ones is tested among the reports of all segments on the selected days.
   */
  readonly watch: Watch;
  /** Only for a distribution. */
  readonly distribution?: Described;
  /** Only for `best`, whose answers are its inputs: the mean utility of each option over all inputs, in the utilities' unit. */
  readonly options?: readonly OptionUtility[];
  /** Only where an answer's interval lies wholly outside what is possible. */
  readonly impossible?: Impossible;
}

/** Answers whose whole interval is below 0 % or above 100 %, or outside the range of a number. */
interface Impossible {
  readonly labels: readonly string[];
  /** The probability that chance alone puts any answer so far outside. Where it is small, the reports can't be right. */
  readonly pValue: number;
}

/** Below this, chance does not explain numbers that can't be. */
const BEYOND_CHANCE = 0.001;

/** True if a verdict must not be given: the reports can't be right, or it is about an answer that can't be. */
const isRefuted = ({ kind, answers }: Verdict, impossible: Impossible | undefined): boolean =>
  impossible !== undefined &&
  (impossible.pValue < BEYOND_CHANCE || kind === 'mean' || answers.some((label) => impossible.labels.includes(label)));

/** The impossible answers among these. Some of many absent answers are wholly below 0 by chance, so all of them are tested together. */
function impossibleIn(answers: readonly AnswerEstimate[], [least, most]: Range): Impossible | undefined {
  const outside = answers.filter(({ low, high }) => high < least || low > most);
  if (outside.length === 0) return undefined;
  const far = outside.map(({ estimate, standardError }) => Math.max(least - estimate, estimate - most) / standardError);
  return { labels: outside.map(({ label }) => label), pValue: Math.min(1, 2 * answers.length * normalTail(Math.max(...far))) };
}

/** True if answers of a metric can be added up in the order of its list. */
export const hasLater = (document: MetricDocument): document is MetricDocument & { readonly law: AnswerLaw } =>
  isAnswerLaw(document.law) && document.law.size <= MOST_LATER && answersOf(document) !== undefined && !kindOf(document).atMost;

/** Settings of an estimate. */
export interface EstimateSettings {
  readonly minimum: number;
  readonly candidates: readonly string[];
  /** Target of the error bars. Default: the population. */
  readonly among?: Among | undefined;
  /** Only for a distribution. */
  readonly asked?: DistributionRequest | undefined;
  /** How verdicts are given. Default: there are none. */
  readonly verdicts?: Verdicts | undefined;
  /** True if intervals that hold for all answers together are wanted. */
  readonly together?: boolean | undefined;
  /** True if the shares of each answer and all later ones are wanted. */
  readonly orLater?: boolean | undefined;
}

/** All input of an estimate, as plain data. */
export interface EstimateRequest extends EstimateSettings {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'> & Partial<Pick<PublishedMetric, 'about'>>;
  readonly evidence: Evidence;
  /** The true shares by label. */
  readonly shares?: ReturnType<Truth>;
}

/** The intervals of answers besides those of one look at one answer: of all looks where verdicts hold at all, and of all answers together. */
function wider(
  judged: readonly Judged[],
  { verdicts, together }: EstimateSettings,
): readonly Pick<AnswerEstimate, 'always' | 'together'>[] {
  if (!isGiven(verdicts)) return judged.map(() => ({}));
  const always = verdicts.looks === 'always' ? intervalsOf(judged, verdicts) : undefined;
  const all = together ? intervalsOf(judged, { ...verdicts, level: LEVEL / judged.length }) : undefined;
  return judged.map((_, i) => ({
    ...(always && { always: always[i] as Interval }),
    ...(all && { together: all[i] as Interval }),
  }));
}

/** The shares of a distribution's cells, its requested statistics, and the verdict on its median; undefined for other metrics. */
function distributionRows(
  request: EstimateRequest,
  tallies: Tallies,
  people: number,
): Pick<MetricEstimates, 'answers' | 'distribution' | 'verdict'> | undefined {
  const { document } = request.metric;
  if (!('cells' in document) || !isDistributionLaw(document.law)) return undefined;
  const distribution = distributionOf(document.law, tallies, people);
  if (distribution === undefined) return { answers: [] };
  const { verdicts, asked = USUAL } = request;
  const { reports } = request.evidence;
  const { shares, low, high } = drawnOf(distribution);
  const labels = cellLabels(document.range, document.cells);
  const judged = labels.map((_, i) => judgedShare(distribution, reports, people, i, i + 1));
  const more = wider(judged, request);
  const answers = labels.map((label, i) => {
    const drawn = { smoothed: shares[i] as number, smoothedLow: low[i] as number, smoothedHigh: high[i] as number };
    return { answer: label, label, ...(judged[i] as Judged).estimate, ...more[i], ...drawn };
  });
  const judging = isGiven(verdicts) ? verdicts : undefined;
  const from = { distribution, shares, range: document.range, reports, people, judging };
  const verdict = judging && medianOf(describe(from, { ranges: [], quantiles: [0.5] }), judging.looks);
  return { answers, distribution: describe(from, asked), ...(verdict && { verdict }) };
}

/** The verdict on a median: where it lies. */
function medianOf({ quantiles }: Described, looks: Looks): Verdict | undefined {
  const [median] = quantiles;
  return median && { kind: 'median', looks, answers: [], interval: median.always ?? { low: median.low, high: median.high } };
}

/** Estimates the share of each answer or candidate, or the mean of a number. */
export function estimate(request: EstimateRequest): MetricEstimates {
  const { among = 'population' } = request;
  const { document } = request.metric;
  const { tallies, ones, reports } = request.evidence;
  const numbers = rangeOf(document);
  const basis = basisOf(document, request.evidence, among);
  const watch = watchOf(document.law, tallies, ones, basis.perDevice, numbers);
  const input = { tallies, ...basis, candidates: [] };
  const options = reports < request.minimum ? undefined : optionsOf(document, input);
  const { verdict: onAnswers, ...rows } = rowsOf(request);
  const verdict = (isGiven(request.verdicts) && options && bestOf(document, options, input, reports, request.verdicts)) || onAnswers;
  const impossible = impossibleIn(rows.answers, numbers ?? [0, 1]);
  const said = verdict && !isRefuted(verdict, impossible) && { verdict };
  return {
    ...aboutOf(request),
    among,
    ...(numbers && { unit: 'value' }),
    ...rows,
    ...(options && { options }),
    ...said,
    watch,
    ...(impossible && { impossible }),
  };
}

/** The estimates and their verdict alone. Tallies may be scaled, so that their counts are not whole. */
export function rowsOf(request: EstimateRequest): Pick<MetricEstimates, 'answers' | 'distribution' | 'verdict'> {
  const { minimum, candidates, among = 'population', verdicts, shares } = request;
  const { document } = request.metric;
  const { law } = document;
  const { tallies, reports } = request.evidence;
  const basis = basisOf(document, request.evidence, among);
  const { perDevice, people } = basis;
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
  const judged = judgedOf(law, estimates.slice(0, answers.length), reports, basis);
  const labels = answers.map(labelOf);
  const later = request.orLater && hasLater(document) ? laterShares(document.law, estimates, reports, basis) : [];
  const more = wider(judged, request);
  const rows = judged.map(({ estimate: share }, i): AnswerEstimate => {
    const label = labels[i] as string;
    const consistent = nearest && learned && { normSub: nearest[i] as number, shrunk: learned[i] as number };
    return {
      answer: answers[i] as AnswerEstimate['answer'],
      label,
      ...(numbers ? inUnit(share, numbers) : share),
      ...(numbers ? inEach(more[i] ?? {}, (ends) => endsInUnit(ends, numbers)) : more[i]),
      ...consistent,
      ...(later[i] && { orLater: later[i] }),
      ...(shares && { truth: Object.hasOwn(shares, label) ? (shares[label] as number) : 0 }),
    };
  });
  if (!listed) rows.sort((a, b) => b.estimate - a.estimate);
  const enough = reports < minimum ? new Map() : tallies;
  const verdict = verdicts && { verdict: verdictOf({ document, judged, labels, basis }, request, numbers) };
  return { answers: rows, ...verdict, ...distributionRows(request, enough, people) };
}

/** Each of the intervals, changed. */
const inEach = (
  { always, together }: Pick<AnswerEstimate, 'always' | 'together'>,
  change: (ends: Interval) => Interval,
): Pick<AnswerEstimate, 'always' | 'together'> => ({
  ...(always && { always: change(always) }),
  ...(together && { together: change(together) }),
});

/** The verdict on the answers, in the unit of a range of numbers. */
function verdictOf(judged: JudgedAnswers, { verdicts, minimum, evidence }: EstimateRequest, range: Range | undefined): Verdict {
  if (!isGiven(verdicts)) return noVerdict(verdicts?.withheld ?? '');
  if (judged.judged.length === 0) return noVerdict(tooFew(evidence.reports, minimum));
  const { interval: ends, ...verdict } = verdictOn(judged, verdicts);
  return { ...verdict, ...(ends && { interval: range ? endsInUnit(ends, range) : ends }) };
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
