// The responses of the collector's API as the dashboard uses them: metrics, their estimates, and refusals.
// Shares are fractions of one; estimates are unbiased, so they may lie below 0 or above 1. Days are UTC, YYYY-MM-DD.

import type { Law, QuestionType } from '@murmuration/shared';

export type MetricType = QuestionType;
export type Cadence = 'once' | 'day' | 'week' | 'month' | 'year';

/** One metric of a published schema: `GET /v1/metrics`. */
export interface Metric {
  readonly app: string;
  readonly metric: string;
  readonly version: number;
  readonly type: MetricType;
  readonly description: string;
  readonly owner?: string;
  readonly expires?: string;
  readonly mechanism: Law['mechanism'];
  readonly every: Cadence;
  readonly epsilon: number;
  readonly permanent?: { readonly epsilon: number; readonly renew: 'week' | 'month' | 'year' | 'never' };
  /** The answer, in words, that is reported for slots in which nothing was recorded. */
  readonly otherwise?: string;
  /** Each device is asked only a random part of the schema's metrics. */
  readonly assign?: 'random';
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly segments: Readonly<Record<string, readonly string[]>>;
}

/** Whom estimates describe: all users, of whom those who reported are a sample, or only those who reported. */
export type Among = 'population' | 'reports';

/** One answer with its share and its uncertainty. `truth` is known only in the demo. */
export interface Answer {
  readonly answer: unknown;
  readonly label: string;
  readonly estimate: number;
  readonly standardError: number;
  readonly low: number;
  readonly high: number;
  readonly truth?: number;
  /** For a cell of a distribution: its smoothed share, which is closest to the truth as a whole. It has no interval. */
  readonly smoothed?: number;
  readonly consistent?: number;
}

/** The data about a distribution beyond the shares of its cells, in the unit of the question. */
export interface Distribution {
  readonly mean: { readonly estimate: number; readonly low: number; readonly high: number };
  readonly quantiles: readonly { readonly level: number; readonly estimate: number; readonly low: number; readonly high: number }[];
}

/** `GET /v1/metrics/:name/estimates`. No answers while there are fewer reports than `minimum`. */
export interface Estimates {
  readonly among: Among;
  readonly reports: number;
  readonly minimum: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Set when the only answer is a number rather than a share. */
  readonly unit?: 'value';
  readonly answers: readonly Answer[];
  /** The p-value of "every report came through the law", and how far 1 % of crafted reports could move an estimate. */
  readonly watch: { readonly pValue: number; readonly perPercent?: number };
  readonly distribution?: Distribution;
}

/** The collector's response when it refuses a request. */
export interface Refusal {
  readonly error: string;
  readonly expected?: unknown;
  readonly got?: unknown;
}
