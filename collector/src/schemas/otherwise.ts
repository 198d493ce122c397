/** `otherwise`, what stands for no answer: whether it is one, by the rule that devices go by themselves, and how people read it. */

import type { Answer, Json, MetricDocument, Parts, Question } from '@murmuration/shared';
import * as shared from '@murmuration/shared';

/** A metric's question as its document tells it: enough to know what is an answer, for its law is known. */
function questionOf(metric: MetricDocument): Question<never> {
  const ask = { epsilon: metric.epsilon, description: '' };
  switch (metric.type) {
    case 'flag':
      return shared.flag(ask);
    case 'choice':
      return metric.other ? shared.choice(metric.answers, { ...ask, other: true }) : shared.choice(metric.answers, ask);
    case 'choices': {
      const { answers, atMost, other } = metric;
      return other ? shared.choices(answers, { ...ask, atMost, other }) : shared.choices(answers, { ...ask, atMost });
    }
    case 'best':
      return shared.best(metric.options, { ...ask, utility: Object.fromEntries(metric.inputs.map((input) => [input, []])) });
    case 'joint': {
      const parts = Object.fromEntries(metric.questions.map((part) => [part.name, shared.isListPart(part) ? part.answers : shared.text]));
      return metric.questions.every(shared.isListPart)
        ? shared.joint(parts as { readonly [name: string]: readonly Answer[] }, ask)
        : shared.jointText(parts as Parts, ask);
    }
    case 'text':
      return shared.text(ask);
    case 'histogram':
      return shared.histogram(metric.edges, ask);
    case 'count':
      return shared.count(metric.max, ask);
    case 'mean':
      return shared.mean(metric.range, ask);
    case 'distribution':
      return shared.distribution(metric.range, ask);
  }
}

/** Whether a value answers a metric's question: what a device would randomize of it, undefined for what is no answer. */
export const inputOf = (metric: MetricDocument): Question<unknown>['input'] => (questionOf(metric) as Question<unknown>).input;

/** What stands for no answer, in words. */
export function inWords(otherwise: Json): string {
  if (typeof otherwise === 'boolean') return otherwise ? 'yes' : 'no';
  if (Array.isArray(otherwise)) return otherwise.length > 0 ? otherwise.join(', ') : 'none of these';
  if (otherwise === '') return 'an empty text';
  return shared.labelOf(otherwise as Parameters<typeof shared.labelOf>[0]);
}
