/** Differences of small counts: their tests and sequences hold for every share, enumerated. */

import { describe, expect, test } from 'vitest';
import { differenceEvidence, differenceSequence, equalSharesPValue, type Supported } from '#collector/estimation/statistics/counts.ts';

const SUPPORT = { p: 0.8, q: 0.05 };
const SHARES = [0, 0.02, 0.1, 0.5, 0.9, 1];

/** The binomial probabilities of all counts of a side with this share. */
function chancesOf(trials: number, share: number): readonly number[] {
  const chance = SUPPORT.q + (SUPPORT.p - SUPPORT.q) * share;
  const chances = [(1 - chance) ** trials];
  for (let k = 0; k < trials; k++) chances.push(((chances[k] as number) * ((trials - k) / (k + 1)) * chance) / (1 - chance));
  return chances;
}

const side = (count: number, trials: number): Supported => ({ count, trials, support: SUPPORT });

/** The sum over all counts of both sides. */
function expected(
  trials: readonly [number, number],
  shares: readonly [number, number],
  of: (a: Supported, b: Supported) => number,
): number {
  const [ofA, ofB] = [chancesOf(trials[0], shares[0]), chancesOf(trials[1], shares[1])];
  return ofA.reduce((sum, x, i) => sum + x * ofB.reduce((part, y, j) => part + y * of(side(i, trials[0]), side(j, trials[1])), 0), 0);
}

describe.each([
  [12, 12],
  [8, 60],
] as const)('%i and %i reports', (...trials) => {
  test.each(SHARES)('of equal shares of %f, the p-value of one look is below a level no more often than that', (share) => {
    const known = new Map<string, number>();
    const pValue = (a: Supported, b: Supported): number => {
      const key = `${a.count} ${b.count}`;
      const found = known.get(key) ?? equalSharesPValue([a, b]);
      known.set(key, found);
      return found;
    };
    for (const level of [0.2, 0.05, 0.01, 0.001])
      expect(expected(trials, [share, share], (a, b) => Number(pValue(a, b) <= level))).toBeLessThanOrEqual(level);
  });

  test.each([
    [0.1, 0.1],
    [0, 0.3],
    [0.9, 0.2],
  ] as const)('of the shares %f and %f, the evidence against their difference is at most 1 in the mean', (one, other) => {
    const mean = expected(trials, [one, other], (a, b) => Math.exp(differenceEvidence([a, b], other - one, 40)));
    expect(mean).toBeLessThanOrEqual(1 + 1e-9);
  });
});

test('a sequence holds the differences against which the evidence is too little, and no others', () => {
  for (const [one, other] of [
    [0, 0],
    [3, 40],
    [60, 2],
    [60, 100],
  ] as const) {
    const counts = [side(one, 60), side(other, 100)] as const;
    for (const level of [0.05, 0.001]) {
      const { low, high } = differenceSequence(counts, 80, level);
      const enough = -Math.log(level);
      for (const [end, outwards] of [
        [low, -1],
        [high, 1],
      ] as const) {
        expect(Math.abs(end)).toBeLessThanOrEqual(1);
        if (Math.abs(end) < 1) expect(differenceEvidence(counts, end + outwards * 1e-4, 80)).toBeGreaterThan(enough);
        expect(differenceEvidence(counts, end - outwards * 1e-3, 80)).toBeLessThan(enough);
      }
    }
  }
});
