/** A transport that keeps uploads in memory, and assertions on them. */

import type { Batch } from '@murmuration/shared';
import type { Delivery, Transport, Upload } from '../adapters/transport.ts';
import { type Look, preview } from '../view.ts';

/** A transport, and the uploads that went through it. */
export interface MemoryTransport {
  readonly transport: Transport;
  /** Every upload in order, retries included. */
  readonly uploads: readonly Upload[];
  /** Each batch once, by its id, whatever the response was. */
  readonly batches: () => readonly Batch[];
}

/**
 * Keeps uploads in memory.
 *
 * @param answer the collector's response: 204 by default; may reject, as a network does
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

/** A source that tells which metrics were recorded: a transport tells what was sent, a telemetry tells what waits. */
export type Recorded = MemoryTransport | { look(): Promise<Look> };

/**
 * Checks how many reports of a metric were sent (for a memory transport) or wait to be sent (for a telemetry). The contents of the reports
 * are not checked, because they are random by design.
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
