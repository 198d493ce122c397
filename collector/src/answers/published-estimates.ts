/**
 * Estimates as they may be published: beside a released number of reports, with errors that follow from it. Estimates need no noise of their
 * own, because they are computed from randomized reports. But the exact number of reports N is in their error bars.
 *
 * Law: tallies are scaled to m reports, m being the released number less the bound of its noise and at least 1. No count is rounded: an
 * estimate is a function of the tallies' shares, so it stays as it is, and its error becomes what the law has for m reports of these shares.
 * m <= N except where the noise passes its bound upwards, in 0.5 % of releases, and errors only grow as m falls. So intervals cover as those
 * of N reports do, except in these releases. Rounding each count of each cohort would move an estimate by up to half a report a cohort,
 * which is more than its error on long lists.
 *
 * What is left of N is in the last digits of the shares, which are fractions of it. So an estimate is rounded to a step of up to half its
 * standard error, and its interval outwards. That adds at most a 48th of the variance, and no release less of the truth.
 */

import type { Evidence, Tallies } from '../estimation/tally.ts';
import { type EstimateRequest, rowsOf } from './estimates.ts';

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

/** Evidence of the same shares from another number of reports, above 0. */
function scaled(evidence: Evidence, reports: number): Evidence {
  const factor = reports / evidence.reports;
  const tallies: Tallies = new Map(
    [...evidence.tallies].map(([cohort, { reports: count, cells }]) => [
      cohort,
      { reports: count * factor, cells: cells.map((cell) => cell * factor) },
    ]),
  );
  return { ...evidence, tallies, reports };
}

/** The largest step of 1, 2 or 5 times a power of ten that is at most half a standard error; 0 where there is none. */
function stepOf(standardError: number): number {
  const power = Math.floor(Math.log10(standardError / 2));
  if (!Number.isFinite(power)) return 0;
  const lead = standardError / 2 / 10 ** power;
  return Number(`${lead >= 5 ? 5 : lead >= 2 ? 2 : 1}e${power}`);
}

/** Rounds to a multiple of a step. The interval is rounded outwards, so that it holds what it held. */
function roundedTo(step: number, value: number, round: (x: number) => number): number {
  if (step === 0) return value;
  const whole = round(Number((value / step).toPrecision(12))); // so that a multiple of the step stays as it is
  return Number((whole * step).toPrecision(12));
}

/** The bound of the released number is its noise's for this probability. Half of it is for numbers that are too large. */
export const COUNT_BETA = 0.01;

/** A released number of reports. */
export interface Released {
  readonly value: number;
  /** It is off by more than this with a probability of at most COUNT_BETA. */
  readonly within: number;
}

/** Estimates beside the released number of reports of this evidence. There are none if it is below the minimum, or nobody has answered. */
export function publishedEstimates(request: EstimateRequest, { value, within }: Released): PublishedEstimates {
  const { metric: about, evidence, minimum } = request;
  const { app, metric } = about;
  if (value < minimum || evidence.reports === 0) return { app, metric, reports: value, answers: [] };
  const { answers } = rowsOf({ ...request, minimum: 0, evidence: scaled(evidence, Math.max(1, value - within)) });
  return {
    app,
    metric,
    reports: value,
    answers: answers.map(({ label, estimate, standardError, low, high }) => {
      const step = stepOf(standardError);
      return {
        label,
        estimate: roundedTo(step, estimate, Math.round),
        standardError: Number(standardError.toPrecision(2)),
        low: roundedTo(step, low, Math.floor),
        high: roundedTo(step, high, Math.ceil),
      };
    }),
  };
}
