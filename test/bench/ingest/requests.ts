/** Requests as devices send them: bodies by the shipping client, prepared as bytes, since a generator that computes while it sends measures itself. */

import { createTelemetry, memoryStorage } from '@murmuration/client';
import { dayNumber, dayText } from '@murmuration/shared';
import { schema } from './schema.ts';

/** How many bodies there are of each kind: enough that no answer repeats in step. */
const BODIES = 256;

/** So many reports a batch: one question, each device another, or all ten. */
export type BatchSize = 1 | 10;

const METRICS = Object.keys(schema.document.metrics);

const answerTo = (metric: string, device: number): unknown => {
  const question = schema.document.metrics[metric];
  if (question === undefined) throw new TypeError(`expected a metric, got ${metric}`);
  if (question.type === 'flag') return device % 3 === 0;
  if (question.type === 'choice') return question.answers[(device * device) % question.answers.length];
  return question.type === 'text' ? `word ${device % 50}` : (device * 37) % 5_000;
};

/** The body of one device's batch. */
async function bodyOf(device: number, size: BatchSize): Promise<string> {
  let sent = '';
  const telemetry = createTelemetry({
    schema,
    endpoint: 'http://bench.invalid',
    storage: memoryStorage(),
    segment: { platform: (['web', 'ios', 'android'] as const)[device % 3] ?? 'web' },
    transport: async ({ body }) => {
      sent = body;
      return { status: 204 };
    },
  });
  telemetry.consent.grant();
  const record = telemetry.record as (metric: string, value: unknown) => void;
  for (const metric of size === 1 ? [METRICS[device % METRICS.length] ?? ''] : METRICS) record(metric, answerTo(metric, device));
  await telemetry.flush();
  await telemetry.close();
  return sent;
}

/** The reports of so many devices that answer all ten questions. */
export async function batches(count: number): Promise<readonly (readonly (readonly [metric: string, payload: string])[])[]> {
  const bodies = await Promise.all(Array.from({ length: count }, (_, device) => bodyOf(device, 10)));
  return bodies.map((body) => (JSON.parse(body) as { readonly reports: [string, string][] }).reports);
}

/** A request, ready to be sent, and where in it the 32 digits of its batch's id stand. */
interface Prepared {
  readonly bytes: Buffer;
  readonly id: number;
}

/** Prepares requests of a size, of a day. */
async function prepare(size: BatchSize, day: number): Promise<readonly Prepared[]> {
  return Promise.all(
    Array.from({ length: BODIES }, async (_, device) => {
      const body = (await bodyOf(device, size)).replace(/"day":"[^"]*"/, `"day":"${dayText(day)}"`);
      const head = `POST /v1/reports?key=pk_bench HTTP/1.1\r\nHost: bench\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
      const bytes = Buffer.from(head + body);
      return { bytes, id: bytes.indexOf('"batch":"') + '"batch":"'.length };
    }),
  );
}

/** MurmurHash3's finalizer: ids of devices come in no order. */
function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Gives the next request of a day, each with an id of its own. What it gave is valid until `BODIES` more were taken. */
export async function requests(size: BatchSize, day: number = dayNumber(Date.now())): Promise<() => Buffer> {
  const prepared = await prepare(size, day);
  const run = mix(Date.now());
  let serial = 0;
  return () => {
    serial++;
    const { bytes, id } = prepared[serial % BODIES] as Prepared;
    const digits = [mix(serial), mix(serial ^ run), run, serial].map((word) => word.toString(16).padStart(8, '0')).join('');
    bytes.write(digits, id, 'latin1');
    return bytes;
  };
}
