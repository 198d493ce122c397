/** The questions about numbers, each carrying the randomizers that its law may name. */

import * as shared from '@murmuration/shared';
import { type DeviceQuestion, lists } from './questions.ts';

/** A number's distribution. `histogram([0, 100, 1000], { epsilon: 1, description: 'How long does a start take?' })` */
export function histogram(edges: readonly number[], ask: shared.Ask): DeviceQuestion<number> {
  return { ...shared.histogram(edges, ask), randomizers: lists };
}
