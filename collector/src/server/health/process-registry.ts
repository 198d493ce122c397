/** The numbers of this process: memory, CPU time, event-loop lag. A process that runs several collectors has them once. */

import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/** Measuring begins with the first call, so a collector that nobody watches does not pay for it. */
export function processRegistry(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
