/** The best of options by a private score, carrying its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeExponential } from '../randomizers/exponential.ts';
import type { DeviceQuestion } from './question.ts';

/**
 * The best of options by a private score. `best(['list', 'grid'], { utility: { few: [2, 0], many: [0, 1] }, epsilon: 1,
 * description: 'Which view suits the files?' })` records `few` or `many`, and reports a view.
 */
export function best<const I extends string>(options: readonly string[], ask: Parameters<typeof shared.best<I>>[1]): DeviceQuestion<I> {
  return { ...shared.best<I>(options, ask), randomizers: { exponential: randomizeExponential } };
}
