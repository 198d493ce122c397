/** Compares a metric between two selections: two ranges of days, versions or segments. rows.ts has the law of the differences. */

import { dayText } from '@murmuration/shared';
import type { Among, Estimate } from '../estimation/estimate.ts';
import { type EstimateRequest, type ExcludedDays, excludedIn } from './estimates.ts';
import { clearTogether, difference, estimateInWords, isClear, type Row, rowsOf, type Unit, type Wording, wantedIn } from './rows.ts';

/** One side of a comparison. */
interface Side {
  readonly version: number;
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Left out because the question excludes these days. */
  readonly excluded?: readonly ExcludedDays[];
}

/** The difference of one answer that both sides have: b minus a. */
export interface Difference {
  readonly answer: Row['answer'];
  readonly label: string;
  readonly a: Estimate;
  readonly b: Estimate;
  readonly difference: Estimate;
  /** True if zero lies outside the 95 % interval. Of many answers, some do by chance: `verdict` of the whole allows for that. */
  readonly isClear: boolean;
  readonly verdict: string;
}

/** A comparison, without its differences. */
export interface Comparison {
  readonly app: string;
  readonly metric: string;
  readonly type: string;
  readonly among: Among;
  readonly minimum: number;
  readonly a: Side;
  readonly b: Side;
  /** `value` where differences are in the unit of the metric; absent where they are of shares. */
  readonly unit?: 'value';
  /** For a distribution: the difference of the means, in the unit of the metric. */
  readonly mean?: Omit<Difference, 'answer' | 'label'>;
  /** The answers that differ when all are tested together (Holm, 5 %), in words. */
  readonly verdict: string;
}

/** Answers that a verdict names. */
const NAMED = 3;

const estimateIn = ({ estimate, standardError, low, high }: Row): Estimate => ({ estimate, standardError, low, high });

const sideOf = ({ metric, evidence: { reports, from, to, excluded } }: EstimateRequest): Side => ({
  version: metric.version,
  reports,
  from: from === null ? null : dayText(from),
  to: to === null ? null : dayText(to),
  ...excludedIn(excluded),
});

/** The differences of the answers that both sides have, in the order of the first. */
function differencesOf(before: readonly Row[], after: readonly Row[], unit: Unit): readonly Difference[] {
  const found = new Map(after.map((row) => [row.label, row]));
  return before.flatMap((row) => {
    const other = found.get(row.label);
    if (other === undefined) return [];
    const [a, b] = [estimateIn(row), estimateIn(other)];
    const delta = difference(a, b);
    return [
      { answer: row.answer, label: row.label, a, b, difference: delta, isClear: isClear(delta), verdict: estimateInWords(delta, unit) },
    ];
  });
}

/** Verdict on all differences together. */
function verdictOf(differences: readonly Difference[], unit: Unit): string {
  const clear = clearTogether(differences.map((each) => each.difference));
  const named = differences
    .filter((_, i) => clear[i])
    .sort((one, other) => Math.abs(other.difference.estimate) - Math.abs(one.difference.estimate));
  if (named.length === 0) {
    const together = differences.some((each) => each.isClear) ? `with ${differences.length} answers compared at once, ` : '';
    return `too close to call: ${together}chance alone can explain every difference`;
  }
  const words = named.slice(0, NAMED).map(({ label, difference: delta }) => `${label} ${estimateInWords(delta, unit)}`);
  const more = named.length - words.length;
  return `${words.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** Compares two selections of one metric: b minus a. */
export function compare(
  before: EstimateRequest,
  after: EstimateRequest,
  wording: Wording,
): { readonly comparison: Comparison; readonly differences: readonly Difference[] } {
  const candidates = [...new Set([before, after].flatMap(wantedIn))];
  const [a, b] = [
    { ...before, candidates },
    { ...after, candidates },
  ];
  const { app, metric, document } = a.metric;
  const { among = 'population', minimum } = a;
  const isValue = document.type === 'mean' || document.type === 'count';
  const unit: Unit = { wording, isShare: !isValue };
  const differences = [...differencesOf(rowsOf(a, 'cells'), rowsOf(b, 'cells'), unit)];
  if (a.candidates.length > 0) differences.sort((one, other) => Math.abs(other.difference.estimate) - Math.abs(one.difference.estimate));
  const [mean] = document.type === 'distribution' ? differencesOf(rowsOf(a, 'mean'), rowsOf(b, 'mean'), { wording, isShare: false }) : [];
  const few = Math.min(a.evidence.reports, b.evidence.reports) < minimum;
  const verdict = few
    ? `too few reports: ${a.evidence.reports} and ${b.evidence.reports}, and each side needs ${minimum}`
    : verdictOf(differences, unit);
  const about = { app, metric, type: document.type, among, minimum, a: sideOf(a), b: sideOf(b) };
  if (mean === undefined) return { comparison: { ...about, ...(isValue && { unit: 'value' as const }), verdict }, differences };
  const { answer: _answer, label: _label, ...ofMean } = mean;
  return { comparison: { ...about, mean: ofMean, verdict }, differences };
}
