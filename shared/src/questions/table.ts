/** Every type of question by name, with its constructor. An app bundles only the constructors that it calls, not this table. */

import { type BestFields, bestCall, bestKind } from './best.ts';
import { type ChoiceFields, choiceCall, choiceKind } from './choice.ts';
import { type ChoicesFields, choicesCall, choicesKind } from './choices.ts';
import { type CountFields, countCall, countKind } from './count.ts';
import { type DiscoverFields, discoverCall, discoverKind } from './discover.ts';
import { type DistributionFields, distributionCall, distributionKind } from './distribution.ts';
import { type FlagFields, flagCall, flagKind } from './flag.ts';
import { type HistogramFields, histogramCall, histogramKind } from './histogram.ts';
import type { JointFields } from './joint.ts';
import { jointCall, jointKind } from './joint-text.ts';
import type { CallOf, DocumentAsk, QuestionKind } from './kind.ts';
import { type MeanFields, meanCall, meanKind } from './mean.ts';
import { type TextFields, textCall, textKind } from './text.ts';

export { best } from './best.ts';
export { choice } from './choice.ts';
export { choices } from './choices.ts';
export { count } from './count.ts';
export { discover } from './discover.ts';
export { distribution } from './distribution.ts';
export { flag } from './flag.ts';
export { histogram } from './histogram.ts';
export { joint } from './joint.ts';
export { mean } from './mean.ts';
export { text } from './text.ts';

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

/** The arguments of each constructor, from a document. */
export const calls: { readonly [T in QuestionType]: CallOf<QuestionFields[T]> } = {
  flag: flagCall,
  choice: choiceCall,
  choices: choicesCall,
  best: bestCall,
  joint: jointCall,
  text: textCall,
  discover: discoverCall,
  histogram: histogramCall,
  mean: meanCall,
  count: countCall,
  distribution: distributionCall,
};

/** The question type of a document that contains the type's name and fields. */
export const kindOf = (metric: { readonly type: QuestionType }): QuestionKind<typeof metric> => kinds[metric.type] as QuestionKind<object>;

/** The arguments of a metric's constructor. */
export const callOf = (metric: { readonly type: QuestionType }, ask: DocumentAsk): never[] =>
  (calls[metric.type] as CallOf<object>)(metric, ask) as never[];
