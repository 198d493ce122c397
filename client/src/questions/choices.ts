/** Several answers of a list, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizePrivSet } from '../randomizers/privset.ts';
import type { DeviceQuestion } from './question.ts';

/**
 * Asks for several answers of a list. `choices(['mail', 'chat', 'files'], { atMost: 2, epsilon: 1, description: 'Which parts are used?'
 * })`. With `other: true`, unlisted answers count as `other`, once.
 */
export function choices<const T extends string>(
  answers: readonly T[],
  ask: shared.SetAsk & { readonly other: true },
): DeviceQuestion<readonly (T | (string & {}))[]>;
export function choices<const T extends string>(
  answers: readonly T[],
  ask: shared.SetAsk<readonly NoInfer<T>[]>,
): DeviceQuestion<readonly T[]>;
export function choices(answers: readonly string[], ask: shared.SetAsk): DeviceQuestion<readonly string[]> {
  return { ...shared.choices(answers, ask), randomizers: { privset: randomizePrivSet } };
}
