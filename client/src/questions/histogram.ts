/** A histogram, carrying its randomizers. */

import * as shared from '@murmuration/shared';
import { lists } from './lists.ts';
import type { DeviceQuestion, ListAsk } from './question.ts';

/** A number's distribution. `histogram([0, 100, 1000], { epsilon: 1, description: 'How long does a start take?' })` */
export function histogram(edges: readonly number[], ask: ListAsk<number>): DeviceQuestion<number> {
  return { randomizers: lists, ...shared.histogram(edges, ask) };
}
