/** A text: a string from an unknown set. */

import { expertRapporLaw, type RapporParameters, rapporFromParameters, rapporLaw } from '../mechanisms/rappor.ts';
import { assertAsk } from '../schema/asks.ts';
import type { QuestionKind } from './kind.ts';
import type { Answering, Ask, NamedText, Question } from './question.ts';

/** RAPPOR with an expert's own parameters. It carries its checks, so that only apps that set parameters bundle them. */
export const expertRappor = (parameters: RapporParameters): NamedText => ({
  takes: 'text',
  law: (_size, epsilon, _devices, permanent) => expertRapporLaw(rapporFromParameters(parameters), epsilon, permanent),
});

/** It has no fields of its own in a document. */
export type TextFields = object;

/** The values of a text. */
export const textAnswering = (_fields: TextFields): Answering<string> => ({
  size: 0,
  input: (value) => (typeof value === 'string' ? value : undefined),
  labels: () => [],
});

/** Asks for a string. Frequencies are estimated for the candidates given to the collector. */
export function text(ask: Ask<NamedText>): Question<string> {
  assertAsk('text(ask)', ask);
  return {
    ...textAnswering({}),
    type: 'text',
    ask,
    law: (_size, epsilon, devices, epoch) => rapporLaw(epsilon, devices, epoch),
    ...ask.mechanism,
  };
}

export const textKind: QuestionKind<TextFields> = {
  rules: () => ({}),
  answers: () => undefined,
  takes: () => 'a string',
  keeps: () => true,
  estimates: 'shares',
};
