/** A text: a string from an unknown set. */

import { expertRapporLaw, type RapporParameters, rapporFromParameters, rapporLaw } from '../mechanisms/rappor.ts';
import { assertAsk } from '../schema/asks.ts';
import type { CallOf, QuestionKind } from './kind.ts';
import type { Ask, NamedText, Question } from './question.ts';

/** RAPPOR with an expert's own parameters. It carries its checks, so that only apps that set parameters bundle them. */
export const expertRappor = (parameters: RapporParameters): NamedText => ({
  takes: 'text',
  law: (_size, epsilon, _devices, permanent) => expertRapporLaw(rapporFromParameters(parameters), epsilon, permanent),
});

/** Asks for a string. Frequencies are estimated for the candidates given to the collector. */
export function text(ask: Ask<NamedText>): Question<string> {
  assertAsk('text(ask)', ask);
  return {
    type: 'text',
    ask,
    size: 0,
    law: (_size, epsilon, devices, epoch) => rapporLaw(epsilon, devices, epoch),
    input: (value) => (typeof value === 'string' ? value : undefined),
    labels: () => [],
    ...ask.mechanism,
  };
}

/** It has no fields of its own in a document. */
export type TextFields = object;

/** The constructor's arguments, from a document. */
export const textCall: CallOf<TextFields> = (_fields, ask) => [ask];

export const textKind: QuestionKind<TextFields> = {
  make: text,
  rules: () => ({}),
  answers: () => undefined,
  takes: () => 'a string',
  keeps: () => true,
  estimates: 'shares',
};
