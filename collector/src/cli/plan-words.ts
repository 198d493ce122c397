/** Describes a plan's figures to readers who have never heard of ε. */

import { kinds, type QuestionType } from '@murmuration/shared';
import { presentationOf } from '../estimation/questions.ts';
import type { Precision } from '../planning/plan/plan.ts';

export const count = (n: number): string => n.toLocaleString('en');
export const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}`;
const figure = (value: number): string => `${Number(value.toPrecision(2))}`;
export const orNone = <T>(value: T | null, words: (value: T) => string): string => (value === null ? 'none' : words(value));

const isNumber = (type: QuestionType): boolean => kinds[type].estimates === 'mean';
const isDistribution = (type: QuestionType): boolean => kinds[type].estimates === 'distribution';

/** A larger margin is meaningless: the estimate lies between 0 and 100 %. */
const ALL = 1;

/** ± in percentage points. */
const margin = (margin95: number): string => (margin95 > ALL ? '± over 100' : `± ${percent(margin95)}`);

/** How an estimate reads: for a number in its unit, if its range is known. */
export function reading(type: QuestionType, share: number, { margin95 }: Precision, range?: readonly [low: number, high: number]): string {
  if (isNumber(type) && range) return margin95 > ALL ? '± over the whole range' : `± ${figure(margin95 * (range[1] - range[0]))}`;
  if (isNumber(type)) return `mean ${margin(margin95)} % of range`;
  return isDistribution(type) ? `below middle ${margin(margin95)}` : `${percent(share)} % ${margin(margin95)}`;
}

/** The purpose for which the users are needed. */
export function goal(type: QuestionType, share: number, error: number, range?: readonly [low: number, high: number]): string {
  const points = `± ${percent(error)} percentage point${error === 0.01 ? '' : 's'}`;
  if (isNumber(type))
    return `know an average within ${range ? `± ${figure(error * (range[1] - range[0]))} (${percent(error)} % of the range)` : `± ${percent(error)} % of its range`}`;
  if (isDistribution(type)) return `know which share of the numbers is below the middle of the range within ${points}`;
  return `see a share of ${percent(share)} % within ${points}`;
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
export const advice = (users: number | null): readonly string[] =>
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
          `${percent(share)} % reads as: what you will see of an answer that ${percent(share)} % of all users give; ± in percentage points.`,
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
export const promise = (epsilon: number): string => {
  const times = Math.exp(epsilon);
  const up = (digits: number): string => String(Math.ceil(times * 10 ** digits) / 10 ** digits);
  const words = times < 1.1 ? up(4) : times < 10 ? up(2) : times < 1e9 ? count(Math.ceil(times)) : times.toExponential(1);
  return `ε ${epsilon} a report: whoever sees a report can be at most ${words} times more confident in one answer over another.`;
};
