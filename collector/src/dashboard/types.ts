// What the collector's API answers, as the dashboard reads it: metrics, their estimates, and refusals.
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
  /** The answer that is reported of slots in which nothing was recorded, in words. */
  readonly otherwise?: string;
  /** Each device is asked only a random part of the schema's metrics. */
  readonly assign?: 'random';
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly segments: Readonly<Record<string, readonly string[]>>;
}

/** Whom estimates are about: all users, of whom those who reported are a sample, or these alone. */
export type Among = 'population' | 'reports';

/** One answer with its share and how sure that is. `truth` is known in the demo only. */
export interface Answer {
  readonly answer: unknown;
  readonly label: string;
  readonly estimate: number;
  readonly standardError: number;
  readonly low: number;
  readonly high: number;
  readonly truth?: number;
  /** Of a distribution's cell: the share that is closest to the truth as a whole. It carries no interval. */
  readonly smoothed?: number;
  readonly consistent?: number;
}

/** What is known of a distribution besides the shares of its cells, in the unit of the question. */
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
  /** Where the one answer is a number and no share. */
  readonly unit?: 'value';
  readonly answers: readonly Answer[];
  /** Under "every report came through the law" a p-value; and how far 1 % of crafted reports could move an estimate. */
  readonly watch: { readonly pValue: number; readonly perPercent?: number };
  readonly distribution?: Distribution;
}

/** What the collector says when it refuses a request. */
export interface Refusal {
  readonly error: string;
  readonly expected?: unknown;
  readonly got?: unknown;
}
