/** Which devices take part, and in which metrics. This is drawn once and stored, and never depends on a value. */

import { assigned } from '@murmuration/shared';
import type { Device, Parts } from '../device.ts';
import type { State } from './state.ts';

/** True if this device answers a metric. The random draws behind this are stored in the state. */
export function isChosen(device: Device, state: State, metric: string): boolean {
  const { assign, sampleRate, word } = device;
  if (sampleRate < 1) {
    state.draw ??= word();
    if (state.draw >= sampleRate * 2 ** 32) return false;
  }
  return !assign || (device as Required<Parts>).isAssigned(device, state, metric);
}

/** True if a metric is among those that are assigned to this device. Only schemas that assign metrics carry this code (schema.ts). */
export function isAssigned({ metrics, budget, coins }: Device, state: State, metric: string): boolean {
  // A metric added by a new version is inserted at a random place, so the order is uniform whenever its metrics were added.
  const order = [...(state.order ?? [])];
  for (const each of Object.keys(metrics)) if (!order.includes(each)) order.splice(coins.uniform(order.length + 1), 0, each);
  state.order = order;
  return assigned(order, metrics, budget).includes(metric);
}
