/**
 * A metric's estimates over time, one point for each day, week or month, each with its change since the last point that has estimates.
 *
 * The error bars of a point count how many of its reports can repeat one stored symbol (`repeatsIn`), as for any range. Points of a
 * permanent metric are not independent of each other, because a device's reports of one epoch share the noise of its symbol in all of
 * them: a line through the points looks calmer than the error bars say, and an error that all points share can't be seen in it. The change
 * between two points allows for that: rows.ts says how.
 */

import { dayText, labelOf } from '@murmuration/shared';
import { nextMonth } from '../base/days.ts';
import type { Among, Interval as Ends, Estimate } from '../estimation/estimate.ts';
import { differencePValue, type Judged, toldInterval } from '../estimation/sequences.ts';
import { LEVEL } from '../estimation/statistics/looks.ts';
import type { Evidence } from '../estimation/tally.ts';
import type { DayRange } from '../storage/store.ts';
import { candidateAnswersOf } from './candidates.ts';
import { type EstimateRequest, type ExcludedDays, excludedIn } from './estimates.ts';
import { difference, isNumber, judgedRowsOf, type Row, rowsOf, wantedIn } from './rows.ts';
import { isGiven } from './verdict.ts';

/** A change since the last point with estimates. */
interface Change extends Estimate {
  /**
   * True if it is told from 0: of a whole series, however long, at most 1 in 20 says so of any answer without a change. The k-th change has
   * 1/(k (k + 1)) of the level, which sums to 1, and its answers share that. Absent where verdicts are not given.
   */
  readonly isClear?: boolean;
  /** The range in which it lies, of all changes of the series together, where it is clear. */
  readonly told?: Ends;
}

/** An answer at one point. */
export interface PointAnswer extends Row {
  /** Null at the first point. */
  readonly change: Change | null;
}

/** A point of a series. */
export interface SeriesPoint {
  readonly from: string;
  readonly to: string;
  readonly reports: number;
  /** None where there are fewer reports than the minimum. */
  readonly answers: readonly PointAnswer[];
}

/** A series, without its points. */
export interface Series {
  readonly app: string;
  readonly metric: string;
  readonly version: number;
  readonly type: string;
  readonly among: Among;
  readonly minimum: number;
  readonly reports: number;
  /** Left out because the question excludes these days. */
  readonly excluded?: readonly ExcludedDays[];
  /** `value` where answers are numbers in the unit of the metric; absent where they are shares. */
  readonly unit?: 'value';
}

/** All parts of a range as one. */
function together(parts: readonly Evidence[]): Evidence {
  const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
  for (const part of parts)
    for (const [cohort, { reports, cells }] of part.tallies) {
      const sum = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(cells.length) };
      tallies.set(cohort, sum);
      sum.reports += reports;
      for (let cell = 0; cell < cells.length; cell++) sum.cells[cell] = (sum.cells[cell] as number) + (cells[cell] as number);
    }
  const days = parts.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  const excluded = parts.flatMap((part) => part.excluded ?? []);
  return {
    tallies,
    reports: parts.reduce((sum, { reports }) => sum + reports, 0),
    from: days.length > 0 ? Math.min(...days) : null,
    to: days.length > 0 ? Math.max(...days) : null,
    ones: [],
    ...(excluded.length > 0 && { excluded }),
  };
}

/** Request for a series, besides its evidence. */
export interface SeriesRequest extends Omit<EstimateRequest, 'evidence'> {
  readonly parts: readonly (DayRange & { readonly evidence: Evidence })[];
  /** How many answers to follow: the largest over all points together. */
  readonly top: number;
}

/** The labels of the answers that are followed. */
function followed(request: EstimateRequest, top: number): ReadonlySet<string> {
  const rows = [...rowsOf(request, 'mean')].sort((a, b) => b.estimate - a.estimate);
  return new Set(rows.slice(0, top).map(({ label }) => label));
}

/** The candidates with an answer that is followed. */
const candidatesOf = ({ metric, candidates }: EstimateRequest, labels: ReadonlySet<string>): readonly string[] =>
  candidates.filter((candidate) => candidateAnswersOf(metric.document, [candidate]).some(({ answer }) => labels.has(labelOf(answer))));

/** A series, and its points. */
export function seriesOf({ parts, top, ...request }: SeriesRequest): { readonly series: Series; readonly points: readonly SeriesPoint[] } {
  const given = { ...request, evidence: together(parts.map(({ evidence }) => evidence)) };
  const all = { ...given, candidates: wantedIn(given) };
  const labels = followed(all, top);
  // Only the candidates that are followed are looked for at each point.
  const candidates = all.candidates.length > top ? candidatesOf(all, labels) : all.candidates;
  const { verdicts } = request;
  let last = new Map<string, Judged>();
  let changes = 0;
  const points = parts.map(({ from, to, evidence }): SeriesPoint => {
    const rows = judgedRowsOf({ ...request, candidates, evidence }, 'mean').filter(({ label }) => labels.has(label));
    if (rows.length > 0 && last.size > 0) changes++;
    const level = LEVEL / (changes * (changes + 1) * rows.length);
    const answers = rows.map(({ answer, label, judged: b }): PointAnswer => {
      const a = last.get(label);
      const found = { answer, label, ...b.estimate };
      if (a === undefined) return { ...found, change: null };
      const change = difference(a.estimate, b.estimate);
      if (!isGiven(verdicts)) return { ...found, change };
      const judged = { a, b, difference: change };
      const isClear = differencePValue(judged, verdicts) <= level;
      return { ...found, change: { ...change, isClear, ...(isClear && { told: toldInterval(judged, true, { ...verdicts, level }) }) } };
    });
    if (rows.length > 0) last = new Map(rows.map(({ label, judged }) => [label, judged]));
    return { from: dayText(from), to: dayText(to), reports: evidence.reports, answers };
  });
  const { app, metric, version, document } = request.metric;
  const { among = 'population', minimum } = request;
  const { reports, excluded } = all.evidence;
  const about = { app, metric, version, type: document.type, among, minimum, reports, ...excludedIn(excluded) };
  return { series: { ...about, ...(isNumber(document) && { unit: 'value' }) }, points };
}

/** The length of the parts of a series. */
export const INTERVALS: readonly ['day', 'week', 'month'] = ['day', 'week', 'month'];

export type Interval = (typeof INTERVALS)[number];

/** The first day after the interval of this day. Day 0, 1970-01-01, was a Thursday. */
function nextAfter(day: number, interval: Interval): number {
  if (interval === 'day') return day + 1;
  return interval === 'week' ? day + 7 - ((day + 3) % 7) : nextMonth(day);
}

/** The number of parts of a range, at most `most` + 1. The first and the last part may be cut off. */
export function partsIn({ from, to }: DayRange, interval: Interval, most: number): readonly DayRange[] {
  const parts: DayRange[] = [];
  for (let day = from; day <= to && parts.length <= most; ) {
    const next = nextAfter(day, interval);
    parts.push({ from: day, to: Math.min(to, next - 1) });
    day = next;
  }
  return parts;
}
