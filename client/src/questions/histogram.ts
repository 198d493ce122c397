/** A histogram, with its randomizers. */

import * as shared from '@murmuration/shared';
import { lists } from './lists.ts';
import type { DeviceQuestion, ListAsk } from './question.ts';

/**
 * Asks how a number is distributed over buckets. `histogram([0, 100, 1000], { epsilon: 1, description: 'How long does a start take?' })`
 */
export function histogram(edges: readonly number[], ask: ListAsk<number>): DeviceQuestion<number> {
  return { randomizers: lists, ...shared.histogram(edges, ask) };
}
