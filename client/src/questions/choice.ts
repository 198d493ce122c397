/** One answer of a list, with its randomizers. */

import * as shared from '@murmuration/shared';
import { lists } from './lists.ts';
import type { DeviceQuestion, ListAsk } from './question.ts';

/**
 * Asks for one answer of a list. `choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' })`. With `other: true`, unlisted
 * answers count as `other`. For a list of more than 64 answers pass `mechanism: longList()`, which makes reports of two or three bytes.
 */
export function choice<const T extends string>(
  answers: readonly T[],
  ask: ListAsk<string> & { readonly other: true },
): DeviceQuestion<T | (string & {})>;
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk<NoInfer<T>>): DeviceQuestion<T>;
export function choice(answers: readonly string[], ask: ListAsk<string>): DeviceQuestion<string> {
  return { randomizers: lists, ...shared.choice(answers, ask) };
}
