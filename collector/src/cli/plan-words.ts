/** The words of `murmuration plan` for readers who have never heard of ε, and its answer to a question without a schema. */

import { kinds, type MetricDocument, type QuestionType, rangeOf } from '@murmuration/shared';
import { count, digits } from '../base/numbers.ts';
import { cohortsForError, lawsFor } from '../estimation/precision.ts';
import { type Asking, presentationOf } from '../estimation/questions.ts';
import { type ExperimentPlan, experimentOf } from '../planning/plan/experiment.ts';
import { type Precision, precisionOf, symbolOf, testedOf, type Wanted } from '../planning/plan/plan.ts';
import { metricOf, sentenceOf } from '../planning/plan/question.ts';
import type { Wishes } from '../planning/plan/wishes.ts';
import { table } from './table.ts';

/** A share in percent, without the sign. */
export const hundredths = (share: number): string => digits(100 * share, 2);
const figure = (value: number): string => digits(value, 2);
export const orNone = <T>(value: T | null, words: (value: T) => string): string => (value === null ? 'none' : words(value));

const isNumber = (type: QuestionType): boolean => kinds[type].estimates === 'mean';
const isDistribution = (type: QuestionType): boolean => kinds[type].estimates === 'distribution';

/** A larger margin is meaningless: the estimate lies between 0 and 100 %. */
const ALL = 1;

/** ± in percentage points. */
const margin = (margin95: number): string => (margin95 > ALL ? '± over 100' : `± ${hundredths(margin95)}`);

/** How an estimate reads: for a number in its unit, if its range is known. */
export function reading(type: QuestionType, share: number, { margin95 }: Precision, range?: readonly [low: number, high: number]): string {
  if (isNumber(type) && range) return margin95 > ALL ? '± over the whole range' : `± ${figure(margin95 * (range[1] - range[0]))}`;
  if (isNumber(type)) return `mean ${margin(margin95)} % of range`;
  return isDistribution(type) ? `below middle ${margin(margin95)}` : `${hundredths(share)} % ${margin(margin95)}`;
}

/** The purpose for which the users are needed. */
export function goal(type: QuestionType, share: number, error: number, range?: readonly [low: number, high: number]): string {
  const points = `± ${hundredths(error)} percentage point${error === 0.01 ? '' : 's'}`;
  if (isNumber(type))
    return `know an average within ${range ? `± ${figure(error * (range[1] - range[0]))} (${hundredths(error)} % of the range)` : `± ${hundredths(error)} % of its range`}`;
  if (isDistribution(type)) return `know which share of the numbers is below the middle of the range within ${points}`;
  return `see a share of ${hundredths(share)} % within ${points}`;
}

/** More than the people on earth. */
const EVERYBODY = 8e9;

/** One sentence that answers "how many users?". */
export function needed(users: number | null, what: string): string {
  if (users === null) return `No number of users is enough to ${what}.`;
  if (users > EVERYBODY) return `You would need ${count(users)} users, more than there are people, to ${what}.`;
  return `You need ${count(users)} user${users === 1 ? '' : 's'} to ${what}.`;
}

/** Advice for when there are not enough people. */
const advice = (users: number | null): readonly string[] =>
  users === null || users > EVERYBODY ? ['A larger ε (less noise) or a larger ± would help.'] : [];

/** How to read the table, for these types of questions and numbers of answers tested at once. */
export function legend(types: readonly QuestionType[], tested: readonly number[], share: number): readonly string[] {
  const shares = types.some((type) => kinds[type].estimates === 'shares');
  const most = Math.max(...tested);
  return [
    '±: the truth about all your users is within it 19 times in 20 (half a 95 % interval). It counts the noise that protects each',
    '   answer and the luck of who answers, as long as those who do are like the rest.',
    ...(shares
      ? [
          `${hundredths(share)} % reads as: what you will see of an answer that ${hundredths(share)} % of all users give; ± in percentage points.`,
          'told from zero: the smallest share that will stand out from an answer that nobody gives, 4 times in 5.',
          ...(most > 1
            ? [
                `   All answers of a question are tested at once (${types.some((type) => presentationOf(type).isText) ? `${count(most)} here: so many candidates of a text are looked for` : `up to ${count(most)} here`}), so each must pass`,
                '   a stricter test: 5 % over their number (Bonferroni). Then at most 1 question in 20 shows an answer that nobody gives.',
              ]
            : ['   An answer that nobody gives stands out 1 time in 20.']),
        ]
      : []),
    ...(types.some(isNumber) ? ['For an average, ± is for the numbers that are hardest to average.'] : []),
    ...(types.some(isDistribution)
      ? ['below middle: the share of the numbers below the middle of the range, if they are spread evenly.']
      : []),
  ];
}

/** The meaning of ε. */
const promise = (epsilon: number): string => {
  const times = Math.exp(epsilon);
  const up = (digits: number): string => String(Math.ceil(times * 10 ** digits) / 10 ** digits);
  const words = times < 1.1 ? up(4) : times < 10 ? up(2) : times < 1e9 ? count(Math.ceil(times)) : times.toExponential(1);
  return `ε ${epsilon} a report: whoever sees a report can be at most ${words} times more confident in one answer over another.`;
};

// `murmuration plan` for a question without a schema: how many users it needs, and what other numbers of users would show.

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
  readonly experiment?: ExperimentPlan;
}

/** The plan, with the actual number of users if it is given. */
export function planQuestion(asking: Asking, wanted: Wanted, users: number | undefined, isExperiment = false): QuestionPlan {
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
    ...(isExperiment && users !== undefined && { experiment: experimentOf({ ...metric, law: at(users / 2) }, users, wanted.share) }),
  };
}

/** The power of an experiment, in words. */
function experimentWords({ perArm, tested, inClear, joint }: ExperimentPlan, type: QuestionType, share: number): readonly string[] {
  const at = kinds[type].estimates === 'shares' ? `around ${hundredths(share)} %` : 'between the arms';
  const points = (difference: number): string =>
    `${hundredths(difference)} percentage points${kinds[type].estimates === 'mean' ? ' of the range' : ''}`;
  const level = tested === 1 ? '5 %' : `5 % over the ${count(tested)} answers that are compared`;
  const arms = `An experiment with ${count(Math.round(perArm))} users in each arm finds`;
  if (inClear === null) return [`${arms} no difference ${at} 4 times in 5. It needs more users.`, ''];
  return [
    `${arms} a difference of ${points(inClear)} ${at},`,
    `4 times in 5, by one look at the end (two-sided, ${level}), with the arm as a segment in clear${joint === null ? '.' : `; of ${points(joint)}`}`,
    ...(joint === null ? [] : ['with the arm in a joint question. Looks on the way need an interval that allows for them.']),
    '',
  ];
}

/** The plan in words. */
export function describeQuestion(plan: QuestionPlan, users: number | undefined): string {
  const { question, type, epsilon, share, error, tested, usersNeeded, cohorts, steps, limit, range } = plan;
  const isShare = kinds[type].estimates === 'shares';
  const own = steps.find((step) => step.users === users);
  const heading = ['users', isShare ? `${hundredths(share)} % reads as` : 'within', ...(isShare ? ['told from zero'] : [])];
  return [
    needed(usersNeeded, goal(type, share, error, range)),
    ...(own
      ? [`With your ${count(own.users)} it reads as: ${reading(type, share, own, range)}${isShare ? ' percentage points' : ''}.`]
      : []),
    ...advice(usersNeeded),
    ...(plan.experiment ? ['', ...experimentWords(plan.experiment, type, share)] : []),
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
        ...(isShare ? [orNone(step.smallestShare, (smallest) => `${hundredths(smallest)} %`)] : []),
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
      : [`Each user's answer is kept after it was randomized once: however often they report, ± stays above ${hundredths(limit)}.`]),
  ].join('\n');
}

/** The smallest budget for wishes, in words. */
export function describeWishes({ devices, budget, metrics, others, needed, isWithin, shared }: Wishes): string {
  const now = `The schema has ${budget.epsilon} per ${budget.per}`;
  return [
    needed === null
      ? `No budget meets all wishes with ${count(devices)} users.`
      : `ε ${needed} per ${budget.per} meets all wishes with ${count(devices)} users. ${now}, which is ${isWithin ? 'enough' : 'too little'}.`,
    ...(shared
      ? [
          `If devices share the questions (\`assign: 'random'\`), ε ${shared.budget} does: each question is charged ${shared.charge}, and each device is asked ${shared.questions} of ${shared.of}.`,
        ]
      : []),
    '',
    table(
      ['metric', 'wish', 'ε now', 'ε needed', 'times', 'charge'],
      [
        ...metrics.map(({ metric, error, epsilon, needed: own, times }) => [
          metric,
          `± ${hundredths(error)}`,
          `${epsilon}`,
          orNone(own, String),
          `${times}`,
          orNone(own, (each) => figure(times * each)),
        ]),
        ...(others > 0 ? [['all others', '', '', '', '', figure(others)]] : []),
      ],
    ),
    '',
    `times: how often one device answers within any ${budget.per}, at most.`,
  ].join('\n');
}
