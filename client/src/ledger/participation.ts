/** Which devices take part, and in which metrics. This is drawn once and stored, and never depends on a value. */

import { assigned } from '@murmuration/shared';
import type { Device, Parts } from '../device.ts';
import type { State } from './state.ts';

/** True if this device answers a metric. The random draws behind this are stored in the state. */
export function isChosen(device: Device, state: State, metric: string): boolean {
  return !device.isLeftOut?.(device, state) && (!device.assign || (device as Required<Parts>).isAssigned(device, state, metric));
}

/** True if a metric is among those that are assigned to this device. Only schemas that assign metrics carry this code (schema.ts). */
export function isAssigned({ metrics, budget, uniform }: Device, state: State, metric: string): boolean {
  // A metric added by a new version is inserted at a random place, so the order is uniform whenever its metrics were added.
  const order = [...(state.order ?? [])];
  for (const each of Object.keys(metrics)) if (!order.includes(each)) order.splice(uniform(order.length + 1), 0, each);
  state.order = order;
  return assigned(order, metrics, budget).includes(metric);
}
