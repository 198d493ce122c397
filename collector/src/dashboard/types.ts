// The API's types by the names that the dashboard uses: metrics, their estimates, and refusals.
// Shares are fractions of one; estimates are unbiased, so they may lie below 0 or above 1. Days are UTC, YYYY-MM-DD.

export type { QuestionType as MetricType } from '@murmuration/shared';

import type { AnswerEstimate as Answer } from '../answers/estimates.ts';
import type { StringsOf } from '../api/reader/types.ts';

export type { Progress } from '../answers/decode-task.ts';
export type { Described as Distribution } from '../answers/distribution.ts';
export type { AnswerEstimate as Answer, MetricEstimates as Estimates } from '../answers/estimates.ts';
export type { MetricSummary as Metric } from '../answers/summary.ts';
export type { Reader } from '../api/openapi/access-answers.ts';
export type { AssociationOf as Association } from '../api/reader/types.ts';
export type { RefusalBody as Refusal } from '../base/refusal.ts';
export type { Estimate } from '../estimation/estimate.ts';
export type { Among } from '../estimation/people.ts';

export type Strings = StringsOf<Answer['answer']>;
