// The API's types by the names that the dashboard uses: metrics, their estimates, and refusals.
// Shares are fractions of one; estimates are unbiased, so they may lie below 0 or above 1. Days are UTC, YYYY-MM-DD.

export type { QuestionType as MetricType } from '@murmuration/shared';

import type { AnswerEstimate as Answer } from '../estimates/estimates.ts';
import type { StringsOf } from '../reader/types.ts';

export type { Progress } from '../estimates/decode-task.ts';
export type { Described as Distribution } from '../estimates/distribution.ts';
export type { AnswerEstimate as Answer, MetricEstimates as Estimates } from '../estimates/estimates.ts';
export type { Estimate } from '../estimators/estimate.ts';
export type { Among } from '../estimators/people.ts';
export type { Reader } from '../http/access.ts';
export type { MetricSummary as Metric } from '../http/read/summary.ts';
export type { RefusalBody as Refusal } from '../http/refusal.ts';
export type { AssociationOf as Association } from '../reader/types.ts';

export type Strings = StringsOf<Answer['answer']>;
