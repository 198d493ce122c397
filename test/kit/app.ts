/** An app with a metric of every kind that reads differ in, devices that answer it, and a collector in a folder of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  choice,
  createTelemetry,
  defineSchema,
  distribution,
  flag,
  joint,
  mean,
  memoryStorage,
  permanent,
  text,
} from '@murmuration/client';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';

const week = { epsilon: 1, every: 'week' } as const;

export const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 100, per: 'month' },
  segments: { platform: ['web', 'ios'] },
  metrics: {
    plan: choice(['free', 'pro', 'team'], { ...week, description: 'Which plan?' }),
    home: text({ ...week, description: 'Which home page?' }),
    dark: permanent(flag({ ...week, every: 'day', description: 'Is dark mode on?' }), { epsilon: 2, renew: 'year' }),
    speed: mean([0, 100], { ...week, description: 'How fast?' }),
    spread: distribution([0, 100], { ...week, description: 'How is speed spread?' }),
    visits: joint({ page: text, plan: ['free', 'pro'] }, { ...week, description: 'Who opens which page?' }),
    constructor: flag({ ...week, description: 'Is it built?' }),
  },
});

/** Today, for collectors and devices of a test. */
export const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;

/** The body of one device's batch, with an answer to each metric, so many days ago. */
export async function bodyOf(device: number, platform: 'web' | 'ios' = 'web', daysAgo = 0): Promise<string> {
  let sent = '';
  const telemetry = createTelemetry({
    schema,
    endpoint: 'http://test.invalid',
    storage: memoryStorage(),
    segment: { platform },
    clock: {
      now: () => NOW - daysAgo * DAY_MS,
      after: (milliseconds, run) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
    },
    transport: async ({ body }) => {
      sent = body;
      return { status: 204 };
    },
  });
  telemetry.consent.grant();
  telemetry.record('plan', device % 3 === 0 ? 'pro' : 'free');
  telemetry.record('home', `page ${device % 4}`);
  telemetry.record('dark', device % 2 === 0);
  telemetry.record('speed', device % 100);
  telemetry.record('spread', device % 100);
  telemetry.record('visits', { page: `page ${device % 2}`, plan: 'pro' });
  telemetry.record('constructor', device % 2 === 0);
  await telemetry.flush();
  await telemetry.close();
  return sent;
}

/** A collector that runs. */
export interface Running {
  readonly collector: Collector;
  readonly url: string;
  readonly folder: string;
  /** Sends batches, and expects them to be counted. */
  readonly send: (bodies: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts a collector with an empty store. */
export async function start(options: Partial<CollectorOptions> = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-reads-'));
  const collector = await createCollector({
    open: true,
    schemas: [schema.document],
    data: folder,
    now: () => NOW,
    minimum: 1,
    leastFree: 0,
    ...options,
  });
  const url = await collector.listen(0, '127.0.0.1');
  return {
    collector,
    url,
    folder,
    send: (bodies) => sendTo(url, bodies),
    close: async () => {
      await collector.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Sends batches to a collector, and throws unless they are counted. */
export async function sendTo(url: string, bodies: readonly string[]): Promise<void> {
  const answers = await Promise.all(bodies.map((body) => fetch(`${url}/v1/reports`, { method: 'POST', body })));
  for (const answer of answers) if (answer.status !== 204) throw new Error(`expected 204, got ${answer.status}: ${await answer.text()}`);
}

/** An answer to a read: its status and its JSON. */
export async function read<T = Record<string, unknown>>(url: string): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as T };
}
