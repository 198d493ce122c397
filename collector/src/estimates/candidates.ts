/** What an open-domain law is decoded against: the candidates, or candidates times answers where lists are asked with the string. */

import { isListPart, type JointAnswer, jointAnswers, type MetricDocument, pairText } from '@murmuration/shared';

/** Whether a metric has a string, for which candidates are looked. */
export const takesCandidates = (metric: MetricDocument): boolean =>
  metric.type === 'text' || (metric.type === 'joint' && !metric.questions.every(isListPart));

/** An answer, and the text that devices hash for it. */
export interface CandidateAnswer {
  readonly answer: string | JointAnswer;
  readonly text: string;
}

/** The answers to look for, each candidate with every answer of the lists. */
export function candidateAnswersOf(metric: MetricDocument, candidates: readonly string[]): readonly CandidateAnswer[] {
  if (metric.type !== 'joint') return candidates.map((text) => ({ answer: text, text }));
  const lists = jointAnswers(metric.questions.filter(isListPart));
  return candidates.flatMap((candidate) =>
    lists.map((list, index) => {
      // In the order of the questions, as people read it.
      const answer = Object.fromEntries(
        metric.questions.map((part) => [part.name, isListPart(part) ? (list[part.name] ?? '') : candidate]),
      );
      return { answer, text: pairText(candidate, index) };
    }),
  );
}
