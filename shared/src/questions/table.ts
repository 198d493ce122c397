/** Every type of question by name, one line each. Who asks one imports its constructor, and bundles no table. */

import { type BestFields, bestKind } from './best.ts';
import { type ChoiceFields, choiceKind } from './choice.ts';
import { type ChoicesFields, choicesKind } from './choices.ts';
import { type CountFields, countKind } from './count.ts';
import { type DistributionFields, distributionKind } from './distribution.ts';
import { type FlagFields, flagKind } from './flag.ts';
import { type HistogramFields, histogramKind } from './histogram.ts';
import type { JointFields } from './joint.ts';
import { jointKind } from './joint-text.ts';
import type { QuestionKind } from './kind.ts';
import { type MeanFields, meanKind } from './mean.ts';
import { type TextFields, textKind } from './text.ts';

/** The fields of each type in a document. */
export interface QuestionFields {
  readonly flag: FlagFields;
  readonly choice: ChoiceFields;
  readonly choices: ChoicesFields;
  readonly best: BestFields;
  readonly joint: JointFields;
  readonly text: TextFields;
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
  histogram: histogramKind,
  mean: meanKind,
  count: countKind,
  distribution: distributionKind,
};

/** What is known of a type, from a document that holds its name and its fields. */
export const kindOf = (metric: { readonly type: QuestionType }): QuestionKind<typeof metric> => kinds[metric.type] as QuestionKind<object>;
