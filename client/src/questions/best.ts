/** The best of several options by a private utility, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeExponential } from '../randomizers/exponential.ts';
import type { DeviceQuestion } from './question.ts';

/**
 * Asks for the best of several options by a private utility. `best(['list', 'grid'], { utility: { few: [2, 0], many: [0, 1] }, epsilon: 1,
 * description: 'Which view suits the files?' })` records `few` or `many`, and reports a view.
 */
export function best<const I extends string>(options: readonly string[], ask: Parameters<typeof shared.best<I>>[1]): DeviceQuestion<I> {
  return { ...shared.best<I>(options, ask), randomizers: { exponential: randomizeExponential } };
}
