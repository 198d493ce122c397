/** Several lists asked together, with their randomizers. */

import * as shared from '@murmuration/shared';
import { lists } from './lists.ts';
import type { DeviceQuestion, ListAsk, TextMechanism } from './question.ts';

/**
 * Asks several lists together. One of them may be a string, marked by passing `text` itself. The answer then goes through a law of strings,
 * and reports are decoded against all pairs of a candidate and an answer.
 *
 * @example joint({ plan: ['free', 'pro'], dark: [true, false] }, { epsilon: 1, description: 'Who uses dark mode?' })
 * @example joint({ page: text, plan: ['free', 'pro'] }, { epsilon: 2, description: 'Who opens which page?' })
 */
export function joint<const Q extends { readonly [name: string]: readonly shared.Answer[] }>(
  questions: Q,
  ask: ListAsk<NoInfer<shared.JointValue<Q>>>,
): DeviceQuestion<shared.JointValue<Q>>;
export function joint<const Q extends shared.Parts>(
  questions: Q,
  ask: shared.Ask<TextMechanism, NoInfer<shared.JointValue<Q>>>,
): DeviceQuestion<shared.JointValue<Q>>;
export function joint(questions: shared.Parts, ask: shared.Ask<shared.Named, unknown>): unknown {
  const hasText = Object.values(questions).some((part) => typeof part === 'function');
  // The constructor of `text` adds its randomizers.
  return hasText
    ? shared.jointText(questions, ask as shared.Ask<TextMechanism, never>)
    : { randomizers: lists, ...shared.joint(questions as never, ask as ListAsk<never>) };
}
