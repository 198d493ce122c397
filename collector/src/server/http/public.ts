/**
 * `GET /v1/public/:app/:metric`: a question whose schema says `publish`, for anybody. Answers are safe to show; participation is not. So it
 * counts whole weeks that are over, without those of few reports, and has no segments, versions or owner. Counts are rounded down to two
 * digits, and estimates to two digits of their standard error, which would tell a count otherwise. It takes no parameters, so no two answers
 * can be subtracted, and it is made once a week (docs/public.md).
 */

import { dayNumber, dayText } from '@murmuration/shared';
import type { RequestHandler, Router } from 'express';
import { takesCandidates } from '../../answers/candidates.ts';
import { type Described, USUAL } from '../../answers/distribution.ts';
import type { AnswerEstimate, MetricEstimates } from '../../answers/estimates.ts';
import { type Estimating, WHOLE, wholeAnswer } from '../../answers/estimates-thread.ts';
import type { Series, SeriesPoint } from '../../answers/series.ts';
import { type MetricSummary, summaryOf } from '../../answers/summary.ts';
import type { Task } from '../../answers/tasks.ts';
import type { Verdict } from '../../answers/verdict.ts';
import type { Watching } from '../../answers/watching.ts';
import type { Paged } from '../../api/forms/answer-parts.ts';
import type { PublicQuestion } from '../../api/forms/answers.ts';
import { noParameters, parseQuery } from '../../api/forms/parameters.ts';
import { PUBLIC } from '../../api/openapi/well-known.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Estimate, Interval } from '../../estimation/estimate.ts';
import type { Catalog, PublishedMetric } from '../../schemas/catalog.ts';
import { bordersOf, RETENTION, type RetentionOptions } from '../../storage/retention.ts';
import { exactRouter } from './routing.ts';
import { partsOf, select } from './select.ts';
import { type Coded, codedText, sendToAnybody } from './send.ts';

/** Reports of a week that is counted, at least. */
const LEAST = 100;

/** Answers that are followed over time, as on the page of readers. */
const FOLLOWED = 6;

/** Seconds for which an answer may be kept by whoever has it. A question that is published no more is seen for so long. */
const MAX_AGE = 300;

// Rounding. A standard error tells the number of reports as well as the count itself, and so do the ends of an interval. Two digits of it
// leave 0.5 to 5 % open, and the number of reports 1 to 10 %.

const tidy = (value: number): number => Number(value.toPrecision(12));

/** The value of the second digit. */
const secondDigit = (value: number): number => (value > 0 ? 10 ** (Math.floor(Math.log10(value)) - 1) : 0);

const roundTo = (value: number, step: number, round: (value: number) => number): number =>
  step === 0 ? value : tidy(round(tidy(value / step)) * step);

/** A count, rounded down to two digits. */
export const roundedCount = (count: number): number => roundTo(count, Math.max(1, secondDigit(count)), Math.floor);

const twoDigits = (value: number): number => roundTo(value, secondDigit(value), Math.ceil);

/** An interval rounded outward, so that it still covers. */
const outward = ({ low, high }: Interval, step: number): Interval => ({
  low: roundTo(low, step, Math.floor),
  high: roundTo(high, step, Math.ceil),
});

/** An estimate and its interval, to the second digit of its standard error. */
function rounded({ estimate, standardError, ...ends }: Estimate): Estimate {
  const step = secondDigit(standardError);
  return {
    estimate: roundTo(estimate, step, Math.round),
    standardError: roundTo(standardError, step, Math.ceil),
    ...outward(ends, step),
  };
}

/** The same, with the interval that holds at every look if it has one. */
const roundedAlways = ({ always, ...estimate }: Estimate & { readonly always?: Interval }): Estimate & { readonly always?: Interval } => ({
  ...rounded(estimate),
  ...(always && { always: outward(always, secondDigit(estimate.standardError)) }),
});

/** An interval without a standard error, to the second digit of its width. */
const roundedEnds = (ends: Interval): Interval => outward(ends, secondDigit(ends.high - ends.low));

function roundedAnswer({ answer, label, smoothed, smoothedLow, smoothedHigh, ...estimate }: AnswerEstimate): AnswerEstimate {
  const step = secondDigit(estimate.standardError);
  const drawn =
    smoothed === undefined || smoothedLow === undefined || smoothedHigh === undefined
      ? {}
      : {
          smoothed: roundTo(smoothed, step, Math.round),
          smoothedLow: roundTo(smoothedLow, step, Math.floor),
          smoothedHigh: roundTo(smoothedHigh, step, Math.ceil),
        };
  return { answer, label, ...roundedAlways(estimate), ...drawn };
}

function roundedDistribution({ mean, median, quantiles }: Described): Described {
  const quantile = ({ level, estimate, low, high, always }: Described['median']): Described['median'] => {
    const step = secondDigit(high - low);
    return {
      level,
      estimate: roundTo(estimate, step, Math.round),
      ...outward({ low, high }, step),
      ...(always && { always: outward(always, step) }),
    };
  };
  return { mean: roundedAlways(mean), median: quantile(median), quantiles: quantiles.map(quantile), ranges: [] };
}

const roundedVerdict = ({ kind, looks, answers, interval }: Verdict): Verdict => ({
  kind,
  ...(looks && { looks }),
  answers,
  ...(interval && { interval: roundedEnds(interval) }),
});

// What is shown. Members are named one by one: what is added to an answer of readers is not public before somebody says so here.

/** The whole weeks that are shown. */
interface Weeks {
  readonly from: string;
  readonly to: string;
  /** Rounded. */
  readonly reports: number;
}

type EstimatesAnswer = MetricEstimates & Paged;
type SeriesAnswer = Series & Paged & { readonly points: readonly SeriesPoint[] };

function shownMetric(summary: MetricSummary, weeks: Weeks | undefined): MetricSummary {
  const { app, metric, version, description, unit, expires, type, mechanism, epsilon } = summary;
  const { every, range, answers, permanent, otherwise, assign } = summary;
  return {
    ...{ app, metric, version, description, publish: true, type, mechanism, epsilon, every },
    ...(unit !== undefined && { unit }),
    ...(expires !== undefined && { expires }),
    ...(range && { range }),
    ...(answers && { answers }),
    ...(permanent && { permanent }),
    ...(otherwise !== undefined && { otherwise }),
    ...(assign && { assign }),
    ...(weeks ?? { from: null, to: null, reports: 0 }),
    versions: [],
    segments: {},
  };
}

function shownEstimates(answer: EstimatesAnswer, { from, to, reports }: Weeks): EstimatesAnswer {
  const { app, metric, version, type, mechanism, epsilon, minimum, among, unit, page } = answer;
  const { answers, verdict, distribution, options, impossible, watch } = answer;
  return {
    ...{ app, metric, version, type, mechanism, epsilon, minimum, among, reports, from, to, page },
    ...(unit && { unit }),
    answers: answers.map(roundedAnswer),
    ...(verdict && { verdict: roundedVerdict(verdict) }),
    ...(distribution && { distribution: roundedDistribution(distribution) }),
    ...(options && { options: options.map(({ option, ...estimate }) => ({ option, ...rounded(estimate) })) }),
    ...(impossible && { impossible: { labels: impossible.labels, pValue: twoDigits(impossible.pValue) } }),
    watch: {
      pValue: twoDigits(watch.pValue),
      ...(watch.perPercent !== undefined && { perPercent: twoDigits(watch.perPercent) }),
    },
  };
}

function shownSeries(answer: SeriesAnswer, points: readonly SeriesPoint[], { reports }: Weeks): SeriesAnswer {
  const { app, metric, version, type, among, minimum, unit } = answer;
  return {
    ...{ app, metric, version, type, among, minimum, reports },
    ...(unit && { unit }),
    page: { ...WHOLE, total: points.length },
    points: points.map((point) => ({
      from: point.from,
      to: point.to,
      reports: roundedCount(point.reports),
      answers: point.answers.map(({ answer, label, change, ...estimate }) => ({
        answer,
        label,
        ...rounded(estimate),
        change: change && { ...rounded(change), ...(change.isClear !== undefined && { isClear: change.isClear }) },
      })),
    })),
  };
}

/** The Monday of a day's week. Day 0, 1970-01-01, was a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7);

/** Parts behind the route. */
export interface PublicParts {
  readonly catalogOf: () => Catalog;
  readonly estimating: Pick<Estimating, 'answer' | 'totals'>;
  readonly watching: Pick<Watching, 'signs'>;
  readonly minimum: number;
  readonly retention: Partial<RetentionOptions>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The question as it is shown until the next Monday. */
async function questionOf(
  published: PublishedMetric,
  monday: number,
  { catalogOf, estimating, watching, minimum, retention, now }: PublicParts,
): Promise<string> {
  const read = <T>(task: Task): Promise<T> => wholeAnswer<T>(estimating, task, 0, new AbortController().signal);
  const totals = await estimating.totals(0);
  const all = select(catalogOf(), published, { to: monday - 1 }, {});
  const summary = summaryOf(published, catalogOf().schemas, totals);
  const parts = partsOf(all, totals, 'week');
  // Days that are kept as months have no weeks, and are left out. Then the first day moves on, and verdicts hold at one look.
  const { rolled } = bordersOf(dayNumber(now()), { ...RETENTION, ...retention });
  const looks = (parts[0]?.from ?? rolled) < rolled ? 'once' : 'always';
  const settings = { minimum: Math.max(LEAST, minimum), verdicts: { looks, planned: published.devices } } as const;
  const nothing: PublicQuestion = { metric: shownMetric(summary, undefined), doubtful: [] };
  if (parts.length === 0) return JSON.stringify(nothing);
  const series = await read<SeriesAnswer>({ kind: 'series', of: [all], settings, parts, top: FOLLOWED });
  const weeks = parts.map(({ from }, i) => ({ monday: mondayOf(from), point: series.points[i] as SeriesPoint }));
  const isShown = ({ point }: { readonly point: SeriesPoint }): boolean => point.reports >= settings.minimum;
  const points = weeks.filter(isShown).map(({ monday, point }) => ({ ...point, from: dayText(monday), to: dayText(monday + 6) }));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return JSON.stringify(nothing);
  // Weeks with few reports are in no number, so nothing of them is left when the shown ones are subtracted. Verdicts still hold at every look:
  // a week is counted for how many report in it, not for what they say, and it is never taken out again.
  const exclude = weeks.filter((week) => !isShown(week)).flatMap(({ monday }) => Array.from({ length: 7 }, (_, i) => monday + i));
  const of = [{ ...all, range: { ...all.range, ...(exclude.length > 0 && { exclude }) } }] as const;
  const estimates = await read<EstimatesAnswer>({ kind: 'estimates', of, settings: { ...settings, asked: USUAL } });
  const shown = { from: first.from, to: last.to, reports: roundedCount(estimates.reports) };
  // Days whose reports the law can't have given. Other signs tell how many reports came.
  const doubtful = (await watching.signs())
    .filter(({ app, metric, kind }) => kind === 'law' && app === published.app && metric === published.metric)
    .filter(({ day }) => points.some(({ from, to }) => from <= day && day <= to));
  const question: PublicQuestion = {
    metric: shownMetric(summary, shown),
    doubtful: [...new Set(doubtful.map(({ day }) => day))].sort(),
    estimates: shownEstimates(estimates, shown),
    series: shownSeries(series, points, shown),
  };
  return JSON.stringify(question);
}

/** The route, which needs no token. */
export function publicRouter(parts: PublicParts): Router {
  const made = new WeakMap<PublishedMetric, { readonly monday: number; readonly body: Promise<Coded> }>();
  const bodyOf = (metric: PublishedMetric): Promise<Coded> => {
    const monday = mondayOf(dayNumber(parts.now()));
    const known = made.get(metric);
    if (known?.monday === monday) return known.body;
    const body = questionOf(metric, monday, parts).then(codedText);
    made.set(metric, { monday, body });
    body.catch(() => made.delete(metric));
    return body;
  };
  const show: RequestHandler<{ app: string; metric: string }> = async ({ params, query }, response) => {
    response.setHeader('cache-control', 'no-store');
    parseQuery(noParameters, query, []);
    const metric = parts.catalogOf().metrics.find(({ app, metric }) => app === params.app && metric === params.metric);
    // A metric that is not published and one that does not exist are answered alike.
    if (metric?.about.publish !== true || takesCandidates(metric.document))
      throw new Refusal(404, 'unknown-metric', 'a question that is published', `${params.app}/${params.metric}`.slice(0, 80));
    sendToAnybody(response, await bodyOf(metric), MAX_AGE);
  };
  return exactRouter().get(PUBLIC, show);
}
