/** Distributions from devices to the API: shares, mean and quantiles in the unit of the range, intervals that cover, refusals. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, defineSchema, distribution, flag, memoryStorage } from '@murmuration/client';
import { hierarchical } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { createCollector, type MetricEstimates } from '@murmuration/collector';
import { type DistributionLaw, MODULUS, mechanismOf } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { interval, meanPlace, quantileInterval, quantilePlace, shareOf, sharesBelow } from '#collector/estimation/distribution.ts';
import { distributionOf } from '#collector/estimation/mechanisms/table.ts';
import type { Tally } from '#collector/estimation/tally.ts';
import { deviceOf, folderOf } from '#collector/planning/simulate/simulation.ts';
import { range } from '../../proofs/channel.ts';
import { atMost, upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

const FALSE_ALARM = 1e-6;
const ask = { epsilon: 4, description: 'How long does a start take?' };
const asked = {
  waved: distribution([-10, 30], { ...ask, cells: 8 }),
  ranged: distribution([-10, 30], { ...ask, cells: 8, mechanism: hierarchical({ branching: 3 }) }),
};

describe('over HTTP', () => {
  const schema = defineSchema({
    app: 'start',
    version: 1,
    budget: { epsilon: 20, per: 'month' },
    metrics: { ...asked, plain: flag({ ...ask, epsilon: 1 }) },
  });
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-distribution-'));
  let collector: Awaited<ReturnType<typeof createCollector>>;
  let endpoint = '';
  beforeAll(async () => {
    collector = await createCollector({ open: true, schemas: [schema.document], minimum: 20, data: folder });
    endpoint = await collector.listen(0, '127.0.0.1');
    for (const i of range(300)) {
      const telemetry = createTelemetry({ schema, endpoint, consent: 'granted', storage: memoryStorage(), rng: seededRng(i) });
      for (const name of Object.keys(asked)) telemetry.record(name as keyof typeof asked, i % 3 === 0 ? 1e9 : 2);
      await telemetry.flush();
    }
  });
  afterAll(async () => {
    await collector.close();
    rmSync(folder, { recursive: true });
  });
  const read = async (
    name: string,
    query = '',
  ): Promise<{ readonly status: number; readonly body: MetricEstimates & { expected?: string } }> => {
    const response = await fetch(`${endpoint}/v1/metrics/${name}/estimates${query}`);
    return { status: response.status, body: (await response.json()) as MetricEstimates };
  };

  test.each(Object.keys(asked))('%s tells cells, mean, quantiles and ranges, in the unit of the range', async (name) => {
    const { body } = await read(name, '?ranges=0..5,-10..30,20..30&quantiles=0.5,0.9');
    expect(body).toMatchObject({ reports: 300, type: 'distribution' });
    expect(body.answers.map(({ label }) => label)).toEqual(range(8).map((i) => `${5 * i - 10} – ${5 * i - 5}`));
    const { mean, quantiles, ranges } = body.distribution as NonNullable<MetricEstimates['distribution']>;
    // A third are beyond the range, and count as its end; two thirds are 2.
    expect(mean.low).toBeLessThan(2 * (2 / 3) + 30 / 3);
    expect(mean.high).toBeGreaterThan(2 * (2 / 3) + 30 / 3);
    expect(quantiles.map(({ level }) => level)).toEqual([0.5, 0.9]);
    expect(quantiles[0]).toMatchObject({ low: 0, high: 5 });
    expect(quantiles[1]).toMatchObject({ low: 25, high: 30 });
    expect(ranges.map(({ from, to }) => [from, to])).toEqual([
      [0, 5],
      [-10, 30],
      [20, 30],
    ]);
    expect(ranges[1]?.estimate).toBeCloseTo(1, 9);
    for (const [i, truth] of [
      [0, 2 / 3],
      [2, 1 / 3],
    ] as const) {
      expect(ranges[i]?.low).toBeLessThan(truth);
      expect(ranges[i]?.high).toBeGreaterThan(truth);
    }
    expect((await read(name)).body.distribution?.quantiles.map(({ level }) => level)).toEqual([0.05, 0.25, 0.5, 0.75, 0.95]);
  });

  test.each([
    ['waved', 'ranges=5', 'ranges: at most 100 of LOW..HIGH within -10..30'],
    ['waved', 'ranges=5..0', 'ranges: at most 100 of LOW..HIGH within -10..30'],
    ['waved', 'ranges=0..31', 'ranges: at most 100 of LOW..HIGH within -10..30'],
    ['waved', 'ranges=0..1', 'the nearest edges of 8 cells apart'],
    ['ranged', 'ranges=-10..30,3..7', 'the nearest edges of 8 cells apart'],
    ['waved', 'ranges=', 'ranges: at most 100 of LOW..HIGH within -10..30'],
    ['waved', `ranges=${Array(101).fill('0..5')}`, 'ranges: at most 100 of LOW..HIGH within -10..30'],
    ['waved', 'quantiles=0', 'quantiles: at most 100 of levels above 0 and below 1'],
    ['waved', 'quantiles=0.5,x', 'quantiles: at most 100 of levels above 0 and below 1'],
    ['plain', 'quantiles=0.5', 'ranges and quantiles of a distribution only'],
    ['plain', 'ranges=0..1', 'ranges and quantiles of a distribution only'],
  ])('%s refuses %s', async (name, query, expected) => {
    const { status, body } = await read(name, `?${query}`);
    expect(status).toBe(400);
    expect(body.expected).toContain(expected);
  });
});

/** Places of numbers: all alike, two far apart, rare at one end, evenly spread, piled up at the low end. */
const populations: readonly ((word: () => number) => number)[] = [
  () => 0.3,
  (word) => (word() < MODULUS / 3 ? 0.05 : 0.9),
  (word) => (word() < MODULUS / 50 ? 0.99 : 0.1),
  (word) => word() / MODULUS,
  (word) => (word() / MODULUS) ** 4,
];

const questions = { 'square-wave': {}, 'hierarchical intervals': { mechanism: hierarchical() } };

describe.each(Object.entries(questions))('intervals of the %s', (_name, named) => {
  test.each([0.5, 1, 2, 4, 8])('cover at ε = %d, whatever the numbers are', (epsilon) => {
    const question = distribution([0, 1], { epsilon, description: 'x', cells: 20, ...named });
    const law = question.law(20, epsilon, 1) as DistributionLaw;
    const word = words(seededRng(7));
    const coins = createCoins(word);
    const { decode, shape } = mechanismOf(law);
    const randomize = question.randomizers[law.mechanism] as unknown as (of: DistributionLaw, input: unknown, with_: unknown) => Uint8Array;
    const [reports, rounds] = [400, 38 * EFFORT]; // two rounds for each inner edge, or more
    for (const [population, draw] of populations.entries()) {
      const hits = { mean: 0, below: 0, quantile: 0 };
      let squares = 0;
      for (let round = 0; round < rounds; round++) {
        const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
        const numbers = range(reports).map(() => draw(word));
        for (const number of numbers) {
          const { cohort, cells } = decode(law, randomize(law, question.input(number), coins));
          const tally = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(shape(law).cells) };
          tally.reports++;
          for (const cell of cells) tally.cells[cell] = (tally.cells[cell] as number) + 1;
          tallies.set(cohort, tally);
        }
        const found = distributionOf(law, tallies as ReadonlyMap<number, Tally>);
        if (found === undefined) throw new Error('expected a distribution');
        const below = sharesBelow(found);
        // One edge a round, so that rounds are independent.
        const edge = 1 + (round % 19);
        const truth = numbers.filter((number) => Math.floor(number * 20) < edge).length / reports;
        const { low, high, estimate } = interval(below[edge] as (typeof below)[number]);
        if (low <= truth && truth <= high) hits.below++;
        squares += (estimate - truth) ** 2 / Math.max(1e-9, (below[edge] as (typeof below)[number]).variance);
        const mean = meanPlace(found);
        const trueMean = numbers.reduce((sum, number) => sum + number, 0) / reports;
        if (mean.low <= trueMean && trueMean <= mean.high) hits.mean++;
        const level = [0.1, 0.5, 0.8][round % 3] as number;
        const quantile = numbers.toSorted((a, b) => a - b)[Math.ceil(level * reports) - 1] as number;
        const bounds = quantileInterval(below.map(interval), level);
        if (bounds.low <= quantile && quantile <= bounds.high) hits.quantile++;
      }
      for (const [what, count] of Object.entries(hits)) {
        const tail = atMost(count, rounds, 0.95);
        expect(tail, `${what} of population ${population}: ${count} of ${rounds}`).toBeGreaterThan(FALSE_ALARM);
      }
      // Errors of 400 reports are near to normal, so their squares over what is stated add up to chi squared, or to less.
      const tail = upperTail({ statistic: squares, degrees: rounds });
      expect(tail, `squared errors of population ${population} over what is stated: ${squares / rounds}`).toBeGreaterThan(FALSE_ALARM);
    }
  });
});

test('narrow ranges of few reports at a large ε, where a single report of noise is rare, are covered', () => {
  const question = distribution([0, 1], { epsilon: 8, description: 'x', cells: 64 });
  const [reports, rounds] = [100, 61 * EFFORT];
  const law = question.law(64, 8, reports);
  const word = words(seededRng(9));
  const { randomize } = deviceOf(question, law, createCoins(word));
  let hits = 0;
  for (const draw of populations)
    for (let round = 0; round < rounds; round++) {
      const numbers = range(reports).map(() => draw(word));
      const folder = folderOf(law);
      for (const number of numbers) folder.addReport(randomize(question.input(number)));
      const found = distributionOf(law as DistributionLaw, folder.tallies());
      if (found === undefined) throw new Error('expected a distribution');
      const from = round % 61;
      const truth = numbers.filter((number) => number * 64 >= from && number * 64 < from + 4).length / reports;
      const { low, high } = interval(shareOf(found, from, from + 4));
      if (low <= truth && truth <= high) hits++;
    }
  expect(atMost(hits, populations.length * rounds, 0.95), `${hits}`).toBeGreaterThan(FALSE_ALARM);
});

test('a quantile of shares lies where so much is below, in the parts of its cell', () => {
  expect([0.1, 0.25, 0.5, 0.75, 0.999].map((level) => quantilePlace([0.25, 0, 0.5, 0.25], level))).toEqual([0.1, 0.25, 0.625, 0.75, 0.999]);
  expect(quantilePlace([1, 0, 0, 0], 0.999999)).toBeLessThan(0.25);
});
