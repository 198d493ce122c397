/** A transport that keeps uploads in memory, a telemetry that keeps what is recorded, and assertions on both, typed by the schema. */

import type { Batch, ValueOf } from '@murmuration/shared';
import type { Delivery, Transport, Upload } from '../adapters/transport.ts';
import type { DeviceQuestions } from '../questions/question.ts';
import type { Telemetry } from '../types.ts';
import { preview } from '../view.ts';

/** A transport, and the uploads that went through it. */
export interface MemoryTransport<M extends DeviceQuestions> {
  readonly transport: Transport;
  /** Every upload in order, retries included. */
  readonly uploads: readonly Upload[];
  /** Each batch once, by its id, whatever the response was. */
  readonly batches: () => readonly Batch[];
  readonly questions: M;
}

/**
 * Keeps uploads in memory.
 *
 * @param schema the app's; assertions on the transport take its metrics only
 * @param answer the collector's response: 204 by default; may reject, as a network does
 * @example
 * const sent = memoryTransport(schema);
 * const telemetry = createTelemetry({ schema, endpoint, transport: sent.transport });
 */
export function memoryTransport<M extends DeviceQuestions>(
  { questions }: { readonly questions: M },
  answer: (upload: Upload) => Delivery | Promise<Delivery> = () => ({ status: 204 }),
): MemoryTransport<M> {
  const uploads: Upload[] = [];
  return {
    questions,
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

/** A telemetry that keeps what is recorded through it, in clear. Devices never do. */
export interface Recording<M extends DeviceQuestions> extends Telemetry<M> {
  readonly records: readonly { readonly metric: keyof M & string; readonly value: unknown }[];
}

/**
 * Keeps what an app records, for `assertAnswered`.
 *
 * @example const telemetry = recording(createTelemetry({ schema, endpoint, storage: memoryStorage() }));
 */
export function recording<M extends DeviceQuestions>(telemetry: Telemetry<M>): Recording<M> {
  const records: { readonly metric: keyof M & string; readonly value: unknown }[] = [];
  return {
    ...telemetry,
    records,
    record: (metric, value) => {
      records.push({ metric, value });
      telemetry.record(metric, value);
    },
  };
}

/** A source that tells which metrics were recorded: a transport tells what was sent, a telemetry tells what waits. */
export type Recorded<M extends DeviceQuestions> = MemoryTransport<M> | Telemetry<M> | Recording<M>;

/**
 * Checks how many reports of a metric were sent (for a memory transport) or wait to be sent (for a telemetry). The contents of the reports
 * are not checked, because they are random by design: see `assertAnswered`.
 *
 * @throws {Error} when there are not so many, or no such metric
 * @example await assertRecorded(telemetry, 'plan');
 */
export async function assertRecorded<M extends DeviceQuestions>(source: Recorded<M>, metric: keyof M & string, times = 1): Promise<void> {
  const questions = 'look' in source ? (await source.look()).schema.questions : source.questions;
  const metrics =
    'look' in source
      ? (await preview(source)).flatMap(({ reports }) => reports.map((report) => report.metric))
      : source.batches().flatMap(({ reports }) => reports.map(([name]) => name));
  if (!Object.hasOwn(questions, metric)) throw new Error(`${metric}: no such metric; the schema has ${Object.keys(questions).join(', ')}`);
  const found = metrics.filter((name) => name === metric).length;
  if (found !== times) {
    throw new Error(`${metric}: expected ${times} reports, got ${found}; there are ${metrics.length ? metrics.join(', ') : 'none at all'}`);
  }
}

/**
 * Checks that an app recorded a value, whatever became of it.
 *
 * @throws {Error} when it did not
 * @example assertAnswered(telemetry, 'plan', 'pro');
 */
export function assertAnswered<M extends DeviceQuestions, K extends keyof M & string>(
  { records }: Recording<M>,
  metric: K,
  value: ValueOf<M[K]>,
): void {
  const values = records.filter((record) => record.metric === metric).map((record) => JSON.stringify(record.value));
  const expected = JSON.stringify(value);
  if (!values.includes(expected)) throw new Error(`${metric}: expected ${expected}, got ${values.join(', ') || 'none at all'}`);
}
