/**
 * Computes a metric's rows: of all its days, and of each day, week and month. Lists and numbers have all of their answers, in series the
 * hundred largest. Strings are those that a decode finds, and a series follows those.
 */

import { monthStart, nextMonth } from '../../base/months.ts';
import type { PublishedMetric } from '../../schemas/catalog.ts';
import type { DayRange } from '../../storage/store.ts';
import type { HeldAnswer } from '../answer-cache.ts';
import { takesCandidates } from '../candidates.ts';
import type { Decoding } from '../decode-thread.ts';
import type { DecodedString, MetricStrings } from '../decoded-strings.ts';
import type { MetricEstimates } from '../estimates.ts';
import type { Estimating } from '../estimates-thread.ts';
import { INTERVALS, type Interval, partsIn } from '../intervals.ts';
import { partsOf } from '../packed-answer.ts';
import type { Series, SeriesPoint } from '../series.ts';
import type { Selected } from '../tasks.ts';
import { type Estimated, estimatesRows, seriesRows, stringsRows } from './rows.ts';

/** Days and weeks that a series goes back, months at most, and answers that it follows. */
const DAYS_BACK = 91;
const WEEKS_BACK = 52;
const MOST_MONTHS = 1_000;
const MOST_ANSWERS = 100;

/** The share of false strings among those that are found, as usual. */
const FDR = 0.05;

/** Milliseconds that totals may be old. They are at least as new as those that the claim was made for, which are seconds old. */
const MOST_AGE = 60_000;

/** What computes. */
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
