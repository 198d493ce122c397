/** Who takes part, and in what: drawn once, kept, and never by looking at a value. */

import { assigned } from '@murmuration/shared';
import type { Device } from '../device.ts';
import type { State } from './state.ts';

/** Whether this device answers a metric; what it draws for this is put into the state. */
export function isChosen({ metrics, assign, budget, sampleRate, word, coins }: Device, state: State, name: string): boolean {
  if (sampleRate < 1) {
    state.draw ??= word();
    if (state.draw >= sampleRate * 2 ** 32) return false;
  }
  if (!assign) return true;
  // A metric of a new version comes to a random place, so the order is uniform whenever its metrics came.
  const order = [...(state.order ?? [])];
  for (const each of Object.keys(metrics)) if (!order.includes(each)) order.splice(coins.uniform(order.length + 1), 0, each);
  state.order = order;
  return assigned(order, metrics, budget).includes(name);
}
