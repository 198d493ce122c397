/**
 * `otherwise` and `assign` from the device to the API: the shipping client on a clock of its own, a collector that listens, and
 * estimates beside what is true of the devices that were asked, of whom not all recorded something.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, defineSchema, fetchTransport, flag, type Upload } from '@murmuration/client';
import { createCollector, type MetricEstimates } from '@murmuration/collector';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askedOf } from '#collector/planning/plan/asked.ts';
import { device, FIRST_DAY, settle } from '../../client/device.ts';

const DAY = 86_400_000;
const DEVICES = 1_500;
/** Standard errors: of the ten figures below, one is further off by chance in less than 1e-6 of all runs; and the seeds are fixed. */
const FAR = 5.5;

const schema = defineSchema({
  app: 'notes',
  version: 1,
  assign: 'random',
  reports: 'together',
  budget: { epsilon: 11, per: 'month' },
  metrics: {
    exported: flag({ epsilon: 2, every: 'week', otherwise: false, description: 'Was a note exported?' }),
    plan: choice(['free', 'pro'], { epsilon: 2, description: 'Which plan?' }),
    theme: choice(['light', 'dark', 'none'], { epsilon: 1, every: 'week', otherwise: 'none', description: 'Which theme was chosen?' }),
  },
});
const NAMES = Object.keys(schema.document.metrics) as (keyof typeof schema.questions)[];

const folder = mkdtempSync(join(tmpdir(), 'murmuration-participation-'));
let today = FIRST_DAY;
let collector: Awaited<ReturnType<typeof createCollector>>;
let url: string;
/** Numbers of the asked devices that gave each answer. */
const truths: { readonly [metric in (typeof NAMES)[number]]: { [label: string]: number } } = { exported: {}, plan: {}, theme: {} };
const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();

beforeAll(async () => {
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, now: () => today * DAY, minimum: 1 });
  url = await collector.listen(0, '127.0.0.1');
  const uploads: Upload[] = [];
  for (let seed = 0; seed < DEVICES; seed++) {
    const { telemetry, outcomes, setDay, uploads: sent } = device(schema, { seed, endpoint: url });
    await settle();
    const values = { exported: seed % 3 === 0, plan: seed % 5 === 0 ? 'pro' : 'free', theme: seed % 4 === 0 ? 'dark' : undefined } as const;
    setDay(seed % 2);
    if (values.exported) telemetry.record('exported', true);
    telemetry.record('plan', values.plan);
    if (values.theme) telemetry.record('theme', values.theme);
    setDay(8);
    await telemetry.flush();
    for (const metric of NAMES) {
      const asked = outcomes.some((outcome) => outcome.metric === metric && ['recorded', 'begun'].includes(outcome.result));
      const label = String(values[metric] ?? 'none');
      if (asked) truths[metric][label] = (truths[metric][label] ?? 0) + 1;
    }
    uploads.push(...sent);
  }
  today += 8;
  const statuses = new Set<number>();
  for (let i = 0; i < uploads.length; i += 50) {
    for (const { status } of await Promise.all(uploads.slice(i, i + 50).map(fetchTransport))) statuses.add(status);
  }
  expect([...statuses]).toEqual([204]);
});
afterAll(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

test('the list says what counts where nothing was answered, and that a random part is asked', async () => {
  const { metrics } = (await get('/v1/metrics')) as { readonly metrics: readonly { readonly [key: string]: unknown }[] };
  expect(metrics).toEqual([
    expect.objectContaining({ metric: 'exported', assign: 'random', otherwise: 'no' }),
    expect.not.objectContaining({ otherwise: expect.anything() }),
    expect.objectContaining({ metric: 'theme', assign: 'random', otherwise: 'none' }),
  ]);
});

describe('what is estimated', () => {
  test.each(NAMES)('is what is true of those who were asked, no answer counting as what stands for it: %s', async (metric) => {
    const { reports, answers } = (await get(`/v1/metrics/${metric}/estimates`)) as MetricEstimates;
    const truth = truths[metric];
    const devices = Object.values(truth).reduce((sum, n) => sum + n, 0);
    expect(reports).toBe(devices);
    const share = askedOf(schema.document).shares.get(metric) as number; // one of three, or two
    expect(Math.abs(devices / DEVICES - share)).toBeLessThan(FAR * Math.sqrt((share * (1 - share)) / DEVICES));
    for (const { label, estimate, standardError } of answers)
      expect(Math.abs(estimate - (truth[label] ?? 0) / devices)).toBeLessThan(FAR * standardError);
  });
});
