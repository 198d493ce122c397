/** Counts that judge the cells of a distribution, and those of devices that report several times: enumerated. */

import { hierarchicalLaw, listLaw, mechanismOf, squareWaveLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { difference } from '#collector/answers/rows.ts';
import { type Distribution, drawnOf, interval, shareOf } from '#collector/estimation/distribution.ts';
import { distributionOf, estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { differencePValue, intervalsOf, type Judged, judgedOf, judgedShare } from '#collector/estimation/sequences.ts';
import type { Looks } from '#collector/estimation/statistics/looks.ts';
import { rowsOf } from '../../kit/coverage/drawn.ts';
import { binomial, type Chances } from '../../kit/coverage/enumerated.ts';

/** The p-value of equal sides. */
const pValueOf = (a: Judged, b: Judged, looks: Looks): number =>
  differencePValue({ a, b, difference: difference(a.estimate, b.estimate) }, { looks, planned: 3000 });

/** The probability that equal sides are told apart at a level, over all counts that are not rarer than 1e-9. */
function toldApart(sides: readonly [Side, Side], level: number, looks: Looks): number {
  const drawn = ({ counts: { from, chances }, judged }: Side) =>
    [...chances].flatMap((chance, i) => (chance > 1e-9 ? [{ chance, judged: judged(from + i) }] : []));
  const [first, second] = [drawn(sides[0]), drawn(sides[1])];
  let sum = 0;
  for (const a of first) for (const b of second) if (pValueOf(a.judged, b.judged, looks) <= level) sum += a.chance * b.chance;
  return sum;
}

interface Side {
  /** Of its counts. */
  readonly counts: Chances;
  readonly judged: (count: number) => Judged;
}

describe('a cell of a square wave whose window is one cell', () => {
  const law = squareWaveLaw(16, 6);
  /** Reports of which so many are in the first cell, and the others evenly in the rest. */
  const distributionWith = (reports: number, count: number): Distribution =>
    distributionOf(
      law,
      new Map([[0, { reports, cells: Float64Array.from({ length: 16 }, (_, i) => (i === 0 ? count : (reports - count) / 15)) }]]),
      reports,
    ) as Distribution;

  test('is supported, as each range is, with the probabilities of the channel', () => {
    expect(law.window).toBe(1);
    const found = distributionWith(100, 10);
    for (let from = 0; from < 16; from++)
      for (let to = from + 1; to <= 16; to++) {
        const counted = found.countOf(from, to);
        expect(counted === undefined).toBe(to - from === 16);
        if (counted === undefined) continue;
        rowsOf(law).forEach((row, cell) => {
          const chance = row.slice(from, to).reduce((sum, each) => sum + each, 0);
          expect(chance).toBeCloseTo(from <= cell && cell < to ? counted.support.p : counted.support.q, 12);
        });
      }
    expect(found.countOf(0, 1)?.count).toBe(10);
  });

  test.each(['once', 'always'] as const)('is told apart from an equal one no more often than the level, looking %s', (looks) => {
    const { p, q } = mechanismOf(listLaw(16, 6)).support(listLaw(16, 6) as never);
    const sides = [60, 1500].map(
      (reports): Side => ({
        counts: binomial(reports, q + (p - q) / 16),
        judged: (count) => judgedShare(distributionWith(reports, count), reports, reports, 0, 1),
      }),
    ) as [Side, Side];
    for (const level of [0.01, 0.001]) expect(toldApart(sides, level, looks)).toBeLessThanOrEqual(level);
  });
});

test('a window of several cells has no single count', () => {
  const law = squareWaveLaw(16, 2);
  expect(law.window).toBeGreaterThan(1);
  const cells = new Float64Array(law.grid + law.window).fill(1);
  expect(distributionOf(law, new Map([[0, { reports: cells.length, cells }]]))?.countOf(0, 1)).toBeUndefined();
});

test('a cell of a tree is judged by the count of the last level', () => {
  const law = hierarchicalLaw(16, 2, 4);
  const [upper, last] = law.levels as [(typeof law.levels)[number], (typeof law.levels)[number]];
  const tallies = new Map([
    [0, { reports: 40, cells: new Float64Array(upper.size).fill(10) }],
    [1, { reports: 60, cells: Float64Array.from({ length: last.size }, (_, i) => i) }],
  ]);
  const found = distributionOf(law, tallies);
  expect(found?.countOf(7, 8)).toEqual({ count: 7, trials: 60, support: mechanismOf(last).support(last) });
  expect(found?.countOf(4, 8)).toBeUndefined();
});

describe('reports of the same devices', () => {
  const law = listLaw(2, 9);
  const judged = (count: number, reports: number, people: number): Judged => {
    const tallies = new Map([[0, { reports, cells: Float64Array.of(count, reports - count) }]]);
    const described = { perDevice: 1, people };
    return judgedOf(law, estimatesOf(law, { tallies, ...described, candidates: [] }), reports, described)[0] as Judged;
  };
  test('count as fewer reports, down to one for each device where the noise is small', () => {
    expect(judged(90, 1800, 1800).supported).toMatchObject({ count: 90, trials: 1800 });
    const { count, trials } = judged(90, 1800, 60).supported as NonNullable<Judged['supported']>;
    expect(count / trials).toBeCloseTo(90 / 1800, 12);
    expect(trials).toBeGreaterThanOrEqual(55);
    expect(trials).toBeLessThanOrEqual(65);
  });
  test('have intervals that cover the share of a population, over all counts of devices', () => {
    const found = Array.from({ length: 61 }, (_, devices) => judged(devices * 30, 1800, 60).estimate);
    for (const share of [0.0028, 0.01, 0.03, 0.5, 0.97, 0.9972]) {
      const { from, chances } = binomial(60, share);
      const covered = chances.reduce((sum, chance, i) => {
        const { low, high } = found[from + i] as Judged['estimate'];
        return sum + (low <= share && share <= high ? chance : 0);
      }, 0);
      expect(covered).toBeGreaterThanOrEqual(0.94);
    }
  });
  // The noise is below 1 report of 500, so a device says the same on each day. The other devices are spread over the other cells.
  test.each([
    ['square wave', squareWaveLaw(16, 9), [1]],
    ['tree', hierarchicalLaw(16, 9, 4), [4, 1]],
  ] as const)('have intervals and bands that cover a cell of a %s, over all counts of devices', (_, distribution, widths) => {
    const found = Array.from({ length: 61 }, (__, devices) => {
      const days = 30 / widths.length;
      const others = ((60 - devices) * days) / 15;
      const tallies = widths.map((width, level): [number, { reports: number; cells: Float64Array }] => {
        const cells = Float64Array.from({ length: 16 }, (___, i) => (i < 16 / width ? others * width : 0));
        cells[0] = devices * days + others * (width - 1);
        return [level, { reports: 60 * days, cells }];
      });
      const cells = distributionOf(distribution, new Map(tallies), 60) as Distribution;
      const { low, high } = drawnOf(cells);
      return [interval(shareOf(cells, 0, 1)), { low: low[0] as number, high: high[0] as number }];
    });
    for (const share of [0.0028, 0.01, 0.03, 0.5]) {
      const { from, chances } = binomial(60, share);
      for (const of of [0, 1]) {
        const covered = chances.reduce((sum, chance, i) => {
          const { low, high } = (found[from + i] as readonly Pick<Judged['estimate'], 'low' | 'high'>[])[of] as Judged['estimate'];
          return sum + (low <= share && share <= high ? chance : 0);
        }, 0);
        expect(covered, `${share}, ${of}`).toBeGreaterThanOrEqual(0.93);
      }
    }
  });
  test.each(['once', 'always'] as const)(
    'of 60 devices on 30 days, equal groups are told apart no more often than the level, looking %s',
    (looks) => {
      // The noise is below 1 report of 8,000, so a device says the same on each day.
      for (const share of [0.03, 0.1, 0.4]) {
        const side: Side = { counts: binomial(60, share), judged: (devices) => judged(devices * 30, 1800, 60) };
        expect(toldApart([side, side], 0.01, looks)).toBeLessThanOrEqual(0.01);
      }
    },
  );
});

test.each([
  [20, 8, 160],
  [64, 8, 704],
])('the intervals of %i equal answers hold together at ε %i and %i reports, looking once', (answers, epsilon, reports) => {
  const law = listLaw(answers, epsilon);
  const described = { perDevice: 1, people: reports };
  const { p, q } = mechanismOf(law).support(law as never);
  const { from, chances } = binomial(reports, q + (p - q) / answers);
  const level = 0.05 / answers;
  const missed = chances.reduce((sum, chance, i) => {
    const cells = Float64Array.from({ length: answers }, (_, v) => (v === 0 ? from + i : (reports - from - i) / (answers - 1)));
    const tallies = new Map([[0, { reports, cells }]]);
    const judged = judgedOf(law, estimatesOf(law, { tallies, ...described, candidates: [] }), reports, described);
    const [first] = intervalsOf(judged.slice(0, 1), { looks: 'once', planned: reports, level });
    const { low, high } = first as { readonly low: number; readonly high: number };
    return sum + (low <= 1 / answers && 1 / answers <= high ? 0 : chance);
  }, 0);
  expect(missed).toBeLessThanOrEqual(level);
});
