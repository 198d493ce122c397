/**
 * Types that the dashboard shows, by the names that it uses: metrics, their estimates, releases and refusals. Shares are fractions of one;
 * estimates are unbiased, so they may lie below 0 or above 1. Days are UTC, YYYY-MM-DD.
 */

import type { AnswerEstimate } from '../answers/estimates.ts';
import type { ComparisonOf, SeriesOf, StringsOf } from './reader/types.ts';

export type { QuestionType as MetricType } from '@murmuration/shared';
export type { Progress } from '../answers/decoded-strings.ts';
export type { Described as Distribution } from '../answers/distribution.ts';
export type { AnswerEstimate as Answer, MetricEstimates as Estimates } from '../answers/estimates.ts';
export type { Sign } from '../answers/signs.ts';
export type { MetricSummary as Metric } from '../answers/summary.ts';
export type { Verdict } from '../answers/verdict.ts';
export type { RefusalBody as Refusal } from '../base/refusal.ts';
export type { Among, Estimate } from '../estimation/estimate.ts';
export { views } from '../estimation/questions.ts';
export type { PlanOf as Plan } from '../planning/plan/plan-of.ts';
export type { Answer as Release, Preview } from '../release/answer.ts';
export type { Cell } from '../release/measures/measure.ts';
export type { Draft as DraftOfMeasure } from '../release/measures/page.ts';
export type { Measure } from '../release/measures/table.ts';
export type { Measured } from '../release/query/making.ts';
export type { Question } from '../release/query/question.ts';
export type { Stream, StreamAnswer, StreamWithAnswers } from '../release/streams/stream.ts';
export type { Other, Others, PublicQuestion } from './forms/answers.ts';
export type { Reader } from './openapi/access.ts';
export type { ShownAnnotation as Annotation } from './openapi/annotations.ts';
export type { ReleaseTable } from './openapi/release.ts';
export type { PublicApps, PublicSchema } from './openapi/well-known.ts';
export type { AssociationOf as Association, PlanAsked } from './reader/types.ts';

export type Series = SeriesOf<AnswerEstimate['answer']>;
export type Comparison = ComparisonOf<AnswerEstimate['answer']>;
export type Strings = StringsOf<AnswerEstimate['answer']>;
