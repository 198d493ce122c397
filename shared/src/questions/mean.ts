/** The mean of a number, clamped to a range so that no number is outside it. */

import { meanLaw } from '../mechanisms/number.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { assertAsk } from '../schema/asks.ts';
import { isRange } from '../schema/rules.ts';
import { type QuestionKind, same } from './kind.ts';
import { outputLabels, placeOf, type Range } from './number.ts';
import type { Answering, Ask, NamedMean, Question } from './question.ts';

/** Its fields in a document. */
export interface MeanFields {
  readonly range: Range;
}

/** The values and labels of a mean. */
export const meanAnswering = ({ range }: MeanFields): Answering<number> => ({
  size: 0,
  isNumber: true,
  input: (value) => placeOf(range, value),
  labels: (law) => outputLabels(range, law as NumberLaw | undefined),
});

/**
 * Asks for a number to estimate its mean. Numbers outside the range count as its ends. If the metric is permanent, one bit of the first
 * number is stored.
 */
export function mean(range: Range, ask: Ask<NamedMean>): Question<number> {
  assertAsk('mean([low, high], ask)', ask);
  const fields = { range };
  return { ...meanAnswering(fields), type: 'mean', ask, fields, law: (_size, epsilon) => meanLaw(epsilon), ...ask.mechanism };
}

export const meanKind: QuestionKind<MeanFields> = {
  rules: () => ({ range: isRange }),
  answers: () => undefined,
  range: ({ range }) => range,
  takes: () => 'a number',
  keeps: (before, after) => same(before.range, after.range),
  estimates: 'mean',
};
