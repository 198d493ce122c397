/** Estimates as rows of a table, for tools that read SQL: an answer in a span of days in each row. */

import type { DecodedString, MetricStrings } from '../decoded-strings.ts';
import type { AnswerEstimate, MetricEstimates } from '../estimates.ts';
import type { Interval } from '../intervals.ts';
import type { Series, SeriesPoint } from '../series.ts';

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

/** What is told of a metric as a whole. */
interface Told {
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** `estimated`, or what kept it from being estimated. */
  readonly outcome: string;
  /** The p-value of the test for crafted reports. */
  readonly watch: number;
}

/** A metric's rows, and what is told of it. */
export interface Estimated {
  readonly told: Told;
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
export function estimatesRows(found: MetricEstimates): Estimated {
  const { reports, from, to, minimum, answers, distribution, unit, watch } = found;
  const told: Told = { reports, from, to, outcome: reports < minimum ? 'too-few-reports' : 'estimated', watch: watch.pValue };
  if (from === null || to === null) return { told, rows: [] };
  const shared: Shared = { span: 'all', from, to, reports };
  const rows = answers.map((answer, i) => rowOf(shared, i, unit ?? 'share', answer));
  if (distribution === undefined) return { told, rows };
  const { mean, quantiles } = distribution;
  const next = rows.length;
  const statistics = quantiles.map(
    ({ level, estimate, low, high }, i): EstimateRow => ({
      ...shared,
      ...{ position: next + 1 + i, unit: 'value', answer: `quantile ${level}`, estimate, standardError: null, low, high },
    }),
  );
  return { told, rows: [...rows, rowOf(shared, next, 'value', { label: 'mean', ...mean }), ...statistics] };
}

/** The rows of the strings that are found in all days. */
export function stringsRows(found: MetricStrings & { readonly strings: readonly DecodedString[] }): Estimated {
  const { reports, from, to, outcome, strings, watch } = found;
  const told: Told = { reports, from, to, outcome: outcome === 'decoded' ? 'estimated' : outcome, watch: watch.pValue };
  if (from === null || to === null) return { told, rows: [] };
  return { told, rows: strings.map((string, i) => rowOf({ span: 'all', from, to, reports }, i, 'share', string)) };
}

/** The rows of a series. An answer keeps its position in all points. */
export function seriesRows(
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
