/** A transport that keeps what it is given, and what tests ask of it. */

import type { Batch } from '@murmuration/shared';
import type { Delivery, Transport, Upload } from '../adapters/transport.ts';
import { type Look, preview } from '../view.ts';

/** A transport, and what went through it. */
export interface MemoryTransport {
  readonly transport: Transport;
  /** Every upload in order, retries included. */
  readonly uploads: readonly Upload[];
  /** Each batch once, by its id, whatever was answered. */
  readonly batches: () => readonly Batch[];
}

/**
 * Keeps uploads in memory.
 *
 * @param answer what the collector says: 204 when left out; may reject, as a network does
 * @example
 * const sent = memoryTransport();
 * const telemetry = createTelemetry({ schema, endpoint, transport: sent.transport });
 */
export function memoryTransport(answer: (upload: Upload) => Delivery | Promise<Delivery> = () => ({ status: 204 })): MemoryTransport {
  const uploads: Upload[] = [];
  return {
    uploads,
    transport: async (upload) => {
      uploads.push(upload);
      return answer(upload);
    },
    batches: () => {
      const batches = uploads.map(({ body }) => JSON.parse(body) as Batch);
      return batches.filter(({ batch }, i) => batches.findIndex((other) => other.batch === batch) === i);
    },
  };
}

/** What can tell which metrics were recorded: a transport of what it was given, a telemetry of what waits. */
export type Recorded = MemoryTransport | { look(): Promise<Look> };

/**
 * Checks how many reports of a metric were sent (of a memory transport) or wait to be sent (of a telemetry). What the
 * reports say is not checked: it is random, and that is the point.
 *
 * @throws {Error} when there are not so many
 * @example await assertRecorded(telemetry, 'plan');
 */
export async function assertRecorded(source: Recorded, metric: string, times = 1): Promise<void> {
  const metrics =
    'look' in source
      ? (await preview(source)).flatMap(({ reports }) => reports.map((report) => report.metric))
      : source.batches().flatMap(({ reports }) => reports.map(([name]) => name));
  const found = metrics.filter((name) => name === metric).length;
  if (found !== times) {
    throw new Error(`${metric}: expected ${times} reports, got ${found}; there are ${metrics.length ? metrics.join(', ') : 'none at all'}`);
  }
}
