/**
 * Estimates as they may be published: beside a released number of reports, with the error that this number gives. Estimates need no noise of
 * their own, because they are computed from randomized reports. But the exact number of reports is in their error bars, and in the
 * fraction that each share is. So tallies are scaled to the released number before anything is estimated, which changes no share, and gives
 * every error bar as the law has it for that number; and shares are rounded to a tenth of their standard error or finer.
 */

import type { Evidence, Tallies } from '../estimation/tally.ts';
import { type EstimateRequest, estimate } from './estimates.ts';

/** An estimate, as it may be published. */
interface PublishedEstimate {
  readonly label: string;
  readonly estimate: number;
  readonly standardError: number;
  readonly low: number;
  readonly high: number;
}

/** Estimates of a metric. Without answers if fewer reports than the minimum were released. */
export interface PublishedEstimates {
  readonly app: string;
  readonly metric: string;
  /** The released number, not the exact one. */
  readonly reports: number;
  readonly answers: readonly PublishedEstimate[];
}

const scaleTallies = (tallies: Tallies, factor: number): Tallies =>
  new Map(
    [...tallies].map(([cohort, { reports, cells }]) => [
      cohort,
      { reports: Math.round(reports * factor), cells: cells.map((count) => Math.round(count * factor)) },
    ]),
  );

/** Evidence of the same shares from another number of reports. */
function scaled(evidence: Evidence, reports: number): Evidence {
  const factor = evidence.reports === 0 ? 0 : reports / evidence.reports;
  return { ...evidence, tallies: scaleTallies(evidence.tallies, factor), reports, ones: [] };
}

/** Rounds to the power of ten that is a tenth of the standard error or smaller. */
function roundedBy(standardError: number): (value: number) => number {
  const places = Math.ceil(1 - Math.log10(standardError));
  if (!Number.isFinite(places) || places >= 16) return (value) => value;
  return (value) => (places >= 0 ? Number(value.toFixed(places)) : Math.round(value / 10 ** -places) * 10 ** -places);
}

/**
 * Estimates that carry the released number of reports.
 *
 * @param released the number of reports of this evidence, as a release gave it
 */
export function publishedEstimates(request: EstimateRequest, released: number): PublishedEstimates {
  const { app, metric, answers } = estimate({ ...request, evidence: scaled(request.evidence, Math.max(0, released)) });
  const isKnown = request.evidence.reports > 0;
  return {
    app,
    metric,
    reports: released,
    answers: (isKnown ? answers : []).map(({ label, ...numbers }) => {
      const round = roundedBy(numbers.standardError);
      const { estimate, standardError, low, high } = numbers;
      return { label, estimate: round(estimate), standardError: round(standardError), low: round(low), high: round(high) };
    }),
  };
}
