/** Estimates as rows of a table, for tools that read SQL: an answer in a span of days in each row; and their computation for a metric. */

import { monthStart, nextMonth } from '../../base/days.ts';
import type { PublishedMetric } from '../../schemas/catalog.ts';
import type { DayRange } from '../../storage/store.ts';
import { takesCandidates } from '../candidates.ts';
import type { Decoding } from '../decode-thread.ts';
import type { DecodedString, MetricStrings } from '../decoded-strings.ts';
import type { AnswerEstimate, MetricEstimates } from '../estimates.ts';
import type { Estimating } from '../estimates-thread.ts';
import type { HeldAnswer } from '../packed-answer.ts';
import { partsOf } from '../packed-answer.ts';
import { INTERVALS, type Interval, partsIn, type Series, type SeriesPoint } from '../series.ts';
import type { Selected } from '../tasks.ts';

/** A row. */
export interface EstimateRow {
  readonly span: 'all' | Interval;
  /** Days such as 2026-11-20. */
  readonly from: string;
  readonly to: string;
  readonly answer: string;
  /** Its place among the answers of its span, from 0. */
  readonly position: number;
  readonly unit: 'share' | 'value';
  readonly estimate: number;
  /** A quantile has none. */
  readonly standardError: number | null;
  readonly low: number;
  readonly high: number;
  /** The reports of the span. */
  readonly reports: number;
}

/** Columns about a metric as a whole. */
interface MetricColumns {
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** `estimated`, or what kept it from being estimated. */
  readonly outcome: string;
  /** The p-value of the test for crafted reports. */
  readonly watch: number;
}

/** A metric's rows, and the columns about the metric. */
export interface Estimated {
  readonly columns: MetricColumns;
  readonly rows: readonly EstimateRow[];
}

/** A text as PostgreSQL can hold it: without the character 0, and with whole characters only. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

type Shared = Pick<EstimateRow, 'span' | 'from' | 'to' | 'reports'>;

const rowOf = (
  shared: Shared,
  position: number,
  unit: EstimateRow['unit'],
  { label, estimate, standardError, low, high }: Pick<AnswerEstimate, 'label' | 'estimate' | 'standardError' | 'low' | 'high'>,
): EstimateRow => ({ ...shared, position, unit, answer: storable(label), estimate, standardError, low, high });

/** The rows of all days, for a list, a number or a distribution. */
function estimatesRows(found: MetricEstimates): Estimated {
  const { reports, from, to, minimum, answers, distribution, unit, watch } = found;
  const columns: MetricColumns = { reports, from, to, outcome: reports < minimum ? 'too-few-reports' : 'estimated', watch: watch.pValue };
  if (from === null || to === null) return { columns, rows: [] };
  const shared: Shared = { span: 'all', from, to, reports };
  const rows = answers.map((answer, i) => rowOf(shared, i, unit ?? 'share', answer));
  if (distribution === undefined) return { columns, rows };
  const { mean, quantiles } = distribution;
  const next = rows.length;
  const statistics = quantiles.map(
    ({ level, estimate, low, high }, i): EstimateRow => ({
      ...shared,
      ...{ position: next + 1 + i, unit: 'value', answer: `quantile ${level}`, estimate, standardError: null, low, high },
    }),
  );
  return { columns, rows: [...rows, rowOf(shared, next, 'value', { label: 'mean', ...mean }), ...statistics] };
}

/** The rows of the strings that are found in all days. */
function stringsRows(found: MetricStrings & { readonly strings: readonly DecodedString[] }): Estimated {
  const { reports, from, to, outcome, strings, watch } = found;
  const columns: MetricColumns = { reports, from, to, outcome: outcome === 'decoded' ? 'estimated' : outcome, watch: watch.pValue };
  if (from === null || to === null) return { columns, rows: [] };
  return { columns, rows: strings.map((string, i) => rowOf({ span: 'all', from, to, reports }, i, 'share', string)) };
}

/** The rows of a series. An answer keeps its position in all points. */
function seriesRows(
  span: Interval,
  { unit, points }: Pick<Series, 'unit'> & { readonly points: readonly SeriesPoint[] },
): readonly EstimateRow[] {
  const positions = new Map<string, number>();
  return points.flatMap(({ from, to, reports, answers }) =>
    answers.map((answer) => {
      const position = positions.get(answer.label) ?? positions.size;
      positions.set(answer.label, position);
      return rowOf({ span, from, to, reports }, position, unit ?? 'share', answer);
    }),
  );
}

/*
 * Computes a metric's rows: of all its days, and of each day, week and month. Lists and numbers have all of their answers, in series the
 * hundred largest. Strings are those that a decode finds, and a series follows those.
 */

/** Days and weeks that a series goes back, months at most, and answers that it follows. */
const DAYS_BACK = 91;
const WEEKS_BACK = 52;
const MOST_MONTHS = 1_000;
const MOST_ANSWERS = 100;

/** The share of false strings among those that are found, as usual. */
const FDR = 0.05;

/** Milliseconds that totals may be old. They are at least as new as those that the claim was made for, which are seconds old. */
const MOST_AGE = 60_000;

/** Services that compute. */
export interface Services {
  readonly estimating: Pick<Estimating, 'answer'>;
  readonly decoding: Pick<Decoding, 'answer'>;
  readonly minimum: number;
}

/** The Monday of a day's week. Day 0, 1970-01-01, was a Thursday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7);

/** The parts of a series: whole weeks and whole months, so that a part keeps its first day. */
export function spansOf({ from, to }: DayRange, interval: Interval): readonly DayRange[] {
  if (interval === 'day') return partsIn({ from: Math.max(from, to - DAYS_BACK), to }, interval, DAYS_BACK + 1);
  if (interval === 'month') return partsIn({ from: monthStart(from), to: nextMonth(to) - 1 }, interval, MOST_MONTHS);
  const last = mondayOf(to);
  return partsIn({ from: Math.max(mondayOf(from), last - 7 * WEEKS_BACK), to: last + 6 }, interval, WEEKS_BACK + 1);
}

/** An answer as plain data. */
async function plain<T>(held: Promise<HeldAnswer>): Promise<T> {
  const { answer, release } = await held;
  try {
    return JSON.parse(Buffer.concat(partsOf(answer, { offset: 0, limit: Number.MAX_SAFE_INTEGER })).toString()) as T;
  } finally {
    release();
  }
}

/** Computes the rows of a metric that has reports on these days. @throws what the services throw */
export async function compute(metric: PublishedMetric, days: DayRange, services: Services, signal: AbortSignal): Promise<Estimated> {
  const { estimating, decoding, minimum } = services;
  const of: readonly [Selected] = [{ metric, range: {} }];
  const isText = takesCandidates(metric.document);
  const strings = isText
    ? await plain<MetricStrings & { readonly strings: readonly DecodedString[] }>(
        decoding.answer({ of, settings: { minimum, fdr: FDR, all: false } }, MOST_AGE, signal),
      )
    : undefined;
  const found = strings
    ? stringsRows(strings)
    : estimatesRows(await plain<MetricEstimates>(estimating.answer({ kind: 'estimates', of, settings: { minimum } }, MOST_AGE, signal)));
  // A text that is asked together with lists has no series: its answers are pairs.
  const candidates = strings?.strings.flatMap(({ answer }) => (typeof answer === 'string' ? [answer] : [])).slice(0, MOST_ANSWERS);
  if (candidates?.length === 0) return found;
  const settings = { minimum, ...(candidates && { candidates }) };
  const rows = [...found.rows];
  for (const interval of INTERVALS) {
    const parts = spansOf(days, interval);
    const task = { kind: 'series', of, settings, parts, top: MOST_ANSWERS } as const;
    rows.push(
      ...seriesRows(interval, await plain<Series & { readonly points: readonly SeriesPoint[] }>(estimating.answer(task, MOST_AGE, signal))),
    );
  }
  return { ...found, rows };
}
