/** The probability of a sum of binomial counts, against its definition. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atMost, type Count, sampleRatio } from '#collector/estimation/statistics/counts.ts';

/** The chances of each number of successes, trial by trial. */
function chancesOf(count: Count): readonly number[] {
  let chances = [1];
  for (const { trials, chance } of count)
    for (let trial = 0; trial < trials; trial++)
      chances = [...chances, 0].map((stay, i) => stay * (1 - chance) + (i === 0 ? 0 : (chances[i - 1] as number) * chance));
  return chances;
}

test('is the sum of the chances of every number up to it', () => {
  const part = fc.record({ trials: fc.integer({ min: 0, max: 30 }), chance: fc.double({ min: 0.01, max: 0.99, noNaN: true }) });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.integer({ min: -2, max: 130 }), (count, most) => {
      const expected = chancesOf(count).reduce((sum, chance, successes) => sum + (successes <= most ? chance : 0), 0);
      expect(Math.abs(atMost(count, most) - expected)).toBeLessThan(1e-12);
    }),
  );
});

test('the sample-ratio check rejects a fair assignment at most as often as its level says, exactly', () => {
  for (const [reports, chance] of [
    [40, 0.5],
    [81, 0.5],
    [60, 0.2],
  ] as const) {
    const chances = chancesOf([{ trials: reports, chance }]);
    for (const level of [0.001, 0.01, 0.05, 0.2]) {
      const rejected = chances.reduce((sum, each, second) => sum + (sampleRatio(reports - second, second, chance) <= level ? each : 0), 0);
      expect(rejected).toBeLessThanOrEqual(level);
    }
  }
  expect(sampleRatio(0, 0)).toBe(1);
  for (const first of [0, 200]) expect(sampleRatio(first, 200 - first) * 2 ** 199).toBeCloseTo(1, 9);
  expect(sampleRatio(100_000, 100_500)).toBeGreaterThan(0.2);
  expect(sampleRatio(100_000, 102_000)).toBeLessThan(1e-4);
});
