/**
 * The answers that an open-domain law is decoded against: the candidates, or each combination of candidate and answer when a list is asked
 * together with the string.
 */

import type { MetricDocument } from '@murmuration/shared';
import type { CandidateAnswer } from '../estimation/questions.ts';
import { presentationOf } from '../estimation/questions.ts';

/** The answers to look for; none where the metric has no text. */
export const candidateAnswersOf = (metric: MetricDocument, candidates: readonly string[]): readonly CandidateAnswer[] =>
  presentationOf(metric.type).candidates?.(metric, candidates) ?? [];

/** Whether a metric has a string, and so takes candidates. */
export const takesCandidates = (metric: MetricDocument): boolean => presentationOf(metric.type).candidates?.(metric, []) !== undefined;
