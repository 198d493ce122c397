/** Every type of question by name, with its constructor. An app bundles only the constructors that it calls, not this table. */

import { type BestFields, bestAnswering, bestKind } from './best.ts';
import { type ChoiceFields, choiceAnswering, choiceKind } from './choice.ts';
import { type ChoicesFields, choicesAnswering, choicesKind } from './choices.ts';
import { type CountFields, countAnswering, countKind } from './count.ts';
import { type DiscoverFields, discoverKind } from './discover.ts';
import { type DistributionFields, distributionAnswering, distributionKind } from './distribution.ts';
import { type FlagFields, flagAnswering, flagKind } from './flag.ts';
import { type HistogramFields, histogramAnswering, histogramKind } from './histogram.ts';
import type { JointFields } from './joint.ts';
import { jointKind, partsAnswering } from './joint-text.ts';
import type { QuestionKind } from './kind.ts';
import { type MeanFields, meanAnswering, meanKind } from './mean.ts';
import type { Answering } from './question.ts';
import { type TextFields, textAnswering, textKind } from './text.ts';

export { best, bestAnswering } from './best.ts';
export { choice, choiceAnswering } from './choice.ts';
export { choices, choicesAnswering } from './choices.ts';
export { count, countAnswering } from './count.ts';
export { discover } from './discover.ts';
export { distribution, distributionAnswering } from './distribution.ts';
export { flag, flagAnswering } from './flag.ts';
export { histogram, histogramAnswering } from './histogram.ts';
export { joint, jointAnswering } from './joint.ts';
export { partsAnswering } from './joint-text.ts';
export { mean, meanAnswering } from './mean.ts';
export { text, textAnswering } from './text.ts';

/** The fields of each type in a document. */
export interface QuestionFields {
  readonly flag: FlagFields;
  readonly choice: ChoiceFields;
  readonly choices: ChoicesFields;
  readonly best: BestFields;
  readonly joint: JointFields;
  readonly text: TextFields;
  readonly discover: DiscoverFields;
  readonly histogram: HistogramFields;
  readonly mean: MeanFields;
  readonly count: CountFields;
  readonly distribution: DistributionFields;
}

/** The name of a type. */
export type QuestionType = keyof QuestionFields;

/** The types by name. */
export const kinds: { readonly [T in QuestionType]: QuestionKind<QuestionFields[T]> } = {
  flag: flagKind,
  choice: choiceKind,
  choices: choicesKind,
  best: bestKind,
  joint: jointKind,
  text: textKind,
  discover: discoverKind,
  histogram: histogramKind,
  mean: meanKind,
  count: countKind,
  distribution: distributionKind,
};

/** The values and answers of each type, from a document. */
export const answerings: { readonly [T in QuestionType]: (fields: QuestionFields[T]) => Answering<never> } = {
  flag: flagAnswering,
  choice: choiceAnswering,
  choices: choicesAnswering,
  best: bestAnswering,
  joint: partsAnswering,
  text: textAnswering,
  discover: textAnswering,
  histogram: histogramAnswering,
  mean: meanAnswering,
  count: countAnswering,
  distribution: distributionAnswering,
};

/** The question type of a document that contains the type's name and fields. */
export const kindOf = (metric: { readonly type: QuestionType }): QuestionKind<typeof metric> => kinds[metric.type] as QuestionKind<object>;

/** The values and answers of a metric, from its document. */
export const answeringOf = (metric: { readonly type: QuestionType }): Answering<never> =>
  (answerings[metric.type] as (fields: object) => Answering<never>)(metric);
