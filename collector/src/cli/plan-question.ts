/** `murmuration plan` for a question without a schema: how many users it needs, and what other numbers of users would show. */

import { kinds, type MetricDocument, type QuestionType, rangeOf } from '@murmuration/shared';
import type { Asking } from '../estimation/questions.ts';
import { presentationOf } from '../estimation/questions.ts';
import { type Precision, precisionOf, symbolOf, testedOf, type Wanted } from '../planning/plan/plan.ts';
import { cohortsForError, lawsFor } from '../planning/plan/precision.ts';
import { metricOf, sentenceOf } from '../planning/plan/question.ts';
import { advice, count, goal, legend, needed, orNone, percent, promise, reading } from './plan-words.ts';
import { table } from './table.ts';

/** Typical numbers of users. */
const LADDER = [1_000, 10_000, 100_000, 1_000_000, 10_000_000] as const;

/** The precision with this many users. */
type Step = Precision & { readonly users: number };

/** The plan of a question. */
export interface QuestionPlan extends Wanted {
  readonly question: string;
  readonly type: QuestionType;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly tested: number;
  /** Null when no number is enough. */
  readonly usersNeeded: number | null;
  /** For a text: the cohorts of a schema that expects this many users. */
  readonly cohorts?: number;
  readonly steps: readonly Step[];
  /** For a permanent answer: the margin below which no number of reports of the same users gets. */
  readonly limit?: number;
  readonly range?: readonly [low: number, high: number];
}

/** The plan, with the actual number of users if it is given. */
export function planQuestion(asking: Asking, wanted: Wanted, users: number | undefined): QuestionPlan {
  const metric = metricOf(asking);
  const tested = testedOf(metric);
  const strings = lawsFor(metric, 100_000);
  const found = strings && cohortsForError(strings, wanted.error, wanted.share);
  const at = (n: number): MetricDocument['law'] => strings?.(n) ?? metric.law;
  const usersNeeded = strings ? (found?.devices ?? null) : precisionOf(metric.law, 1, 1, tested, wanted).devicesForError;
  const all = [...LADDER, ...(users === undefined ? [] : [users]), ...(usersNeeded === null ? [] : [usersNeeded])];
  const range = rangeOf(metric);
  return {
    question: sentenceOf(asking),
    type: metric.type,
    mechanism: metric.law.mechanism,
    epsilon: asking.epsilon,
    ...wanted,
    tested,
    usersNeeded,
    ...(found && { cohorts: found.cohorts }),
    steps: [...new Set(all)].sort((a, b) => a - b).map((n) => ({ users: n, ...precisionOf(at(n), n, 1, tested, wanted) })),
    ...(asking.permanent !== undefined && {
      limit: precisionOf(symbolOf(at(users ?? usersNeeded ?? 1)), users ?? usersNeeded ?? 1, 1, tested, wanted).margin95,
    }),
    ...(range && { range }),
  };
}

/** The plan in words. */
export function describeQuestion(plan: QuestionPlan, users: number | undefined): string {
  const { question, type, epsilon, share, error, tested, usersNeeded, cohorts, steps, limit, range } = plan;
  const isShare = kinds[type].estimates === 'shares';
  const own = steps.find((step) => step.users === users);
  const heading = ['users', isShare ? `${percent(share)} % reads as` : 'within', ...(isShare ? ['told from zero'] : [])];
  return [
    needed(usersNeeded, goal(type, share, error, range)),
    ...(own
      ? [`With your ${count(own.users)} it reads as: ${reading(type, share, own, range)}${isShare ? ' percentage points' : ''}.`]
      : []),
    ...advice(usersNeeded),
    ...(cohorts === undefined || usersNeeded === null
      ? []
      : [
          `Different texts can look alike in a report. To keep them apart, reports are spread over ${count(cohorts)} groups (cohorts):`,
          `write \`devices: ${usersNeeded}\` into the schema, and it has so many.`,
        ]),
    '',
    `${question}. ${promise(epsilon)}`,
    '',
    table(
      heading,
      steps.map((step) => [
        `${count(step.users)}${step.users === usersNeeded ? ' *' : step.users === users ? ' (yours)' : ''}`,
        reading(type, share, step, range),
        ...(isShare ? [orNone(step.smallestShare, (smallest) => `${percent(smallest)} %`)] : []),
      ]),
    ),
    '',
    ...(usersNeeded === null ? [] : ['* the fewest that are enough']),
    ...legend([type], [tested], share),
    ...(presentationOf(type).isText
      ? ['   Texts that nobody looks for are not seen, and frequent ones of them make all margins wider.']
      : []),
    ...(limit === undefined
      ? []
      : [`Each user's answer is kept after it was randomized once: however often they report, ± stays above ${percent(limit)}.`]),
  ].join('\n');
}
