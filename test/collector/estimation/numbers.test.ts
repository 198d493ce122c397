/** Means from devices to the API: the unit of the range, intervals that cover, and what the dashboard writes. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, defineSchema, mean, memoryStorage } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createCollector, type MetricEstimates } from '@murmuration/collector';
import { MODULUS, piecewiseLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { decimalsForValue, figure } from '#collector/dashboard/format.ts';
import { range } from '../../proofs/channel.ts';
import { multinomial, pooled, upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';
import { counted, expectCovered, MEAN_EPSILONS } from './means.ts';

test('a mean goes from devices to the API in the unit of its range', async () => {
  const ask = { epsilon: 8, description: 'How warm is it?' };
  const schema = defineSchema({
    app: 'weather',
    version: 1,
    budget: { epsilon: 8, per: 'month' },
    metrics: { warmth: mean([-40, 60], ask) },
  });
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-numbers-'));
  const collector = await createCollector({ open: true, schemas: [schema.document], minimum: 20, data: folder });
  const endpoint = await collector.listen(0, '127.0.0.1');
  const read = async () => (await (await fetch(`${endpoint}/v1/metrics/warmth/estimates`)).json()) as MetricEstimates;
  for (const [i, value] of Array.from({ length: 200 }, (_, device) => [device, device % 2 === 0 ? 1e9 : 20] as const)) {
    if (i === 19) expect(await read()).toMatchObject({ reports: 19, unit: 'value', answers: [] });
    const telemetry = createTelemetry({ schema, endpoint, consent: 'granted', storage: memoryStorage(), rng: seededRng(i) });
    telemetry.record('warmth', value);
    await telemetry.flush();
  }
  const { answers, unit, reports } = await read();
  expect([unit, reports, answers.length]).toEqual(['value', 200, 1]);
  const [row] = answers as [MetricEstimates['answers'][number]];
  expect(Object.keys(row).sort()).toEqual(['always', 'answer', 'estimate', 'high', 'label', 'low', 'standardError']);
  expect(row).toMatchObject({ answer: 'mean', label: 'mean' });
  // Numbers beyond the range count as its end: (60 + 20) / 2.
  expect(row.low).toBeLessThan(40);
  expect(row.high).toBeGreaterThan(40);
  expect(row.high - row.low).toBeLessThan(12);
  await collector.close();
  rmSync(folder, { recursive: true });
});

// npm run test:deep has 1,500 rounds.
test.each(MEAN_EPSILONS)('intervals at ε = %d hold the mean of the numbers, whatever they are', (epsilon) => expectCovered(epsilon, 200));

test('piecewise outputs come as often as the law says, and would not fit one whose threshold is 2 % off', () => {
  const coins = createCoins(words(seededRng(64)));
  const reports = 125_000 * EFFORT;
  const samples = [piecewiseLaw(1, 1, 4), piecewiseLaw(9, 3, 4), piecewiseLaw(64, 14, 6)].map((law) => ({
    law,
    ...counted(law, () => 2 / 3, reports, coins),
  }));
  const pValue = (factor: number): number =>
    upperTail(
      pooled(
        samples.map(({ law: { grid, window, inside }, cells }) => {
          const p = (inside * factor) / MODULUS;
          const up = (2 / 3) * grid - Math.floor((2 / 3) * grid + 1e-9);
          const low = Math.floor((2 / 3) * grid + 1e-9);
          const chance = (cell: number, point: number): number => (cell >= point && cell < point + window ? p / window : (1 - p) / grid);
          const chances = range(grid + window).map((cell) => (1 - up) * chance(cell, low) + up * chance(cell, low + 1));
          return multinomial([...cells], chances, reports);
        }),
      ),
    );
  expect(pValue(1)).toBeGreaterThan(1e-6);
  expect(pValue(1 - 0.02 / Math.sqrt(EFFORT))).toBeLessThan(1e-6);
});

describe('the dashboard writes numbers', () => {
  const row = (estimate: number, half: number) => ({
    answer: 'mean',
    label: 'mean',
    estimate,
    standardError: half / 1.96,
    low: estimate - half,
    high: estimate + half,
  });
  test('with a true minus sign, no negative zero, and decimals that follow the margin', () => {
    expect([figure(-1234.5, 1), figure(-0.001, 1), figure(12, 0)]).toEqual(['\u22121,234.5', '0.0', '12']);
    expect([30, 3, 0.3, 0.02].map((half) => decimalsForValue(row(5, half)))).toEqual([0, 1, 2, 3]);
  });
});
