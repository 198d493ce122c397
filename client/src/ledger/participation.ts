/** Who takes part, and in what: drawn once, kept, and never by looking at a value. */

import { assigned, type SchemaDocument } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import type { State } from './state.ts';

/**
 * The metrics that this device answers; what it draws for this is put into the state.
 *
 * @param sample the share of devices that take part
 */
export function participation(
  { metrics, assign, budget }: SchemaDocument,
  state: State,
  sample: number,
  word: () => number,
  { uniform }: Coins,
): readonly string[] {
  const names = Object.keys(metrics);
  if (sample < 1) {
    state.draw ??= word();
    if (state.draw >= sample * 2 ** 32) return [];
  }
  if (!assign) return names;
  // A metric of a new version comes to a random place, so the order is uniform whenever its metrics came.
  const order = [...(state.order ?? [])];
  for (const name of names) if (!order.includes(name)) order.splice(uniform(order.length + 1), 0, name);
  state.order = order;
  return assigned(order, metrics, budget);
}
