/** Proofs of the two-sided geometric mechanism beyond those of the conformance suite: the law at every ε, each row's thresholds, its scores. */

import { countLaw, type GeometricLaw, geometric, geometricLaw, kAryLaw, MODULUS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { createCoins } from '#client/random/coins.ts';
import { randomizeGeometric } from '#client/randomizers/geometric.ts';
import { geometricScores } from '#collector/estimation/mechanisms/geometric.ts';
import { scoredScores } from '#collector/estimation/mechanisms/scored.ts';
import { geometricRow } from '../conformance/specimens/geometric.ts';
import { EPSILONS, expectHeld } from './asked.ts';
import { indexReport, largestRatio, range } from './channel.ts';
import { type Distribution, hex } from './enumerate.ts';
import { toNumber } from './rational.ts';

const COUNTS = [1, 2, 3, 7, 20, 256];

const rowsOf = (law: GeometricLaw): readonly Distribution[] =>
  range(law.tails.length + 1).map((count) => geometricRow(law, count, MODULUS));

/** At ε = 16 some counts' inner cells are too rare for 32 bits. */
const held = (max: number, epsilon: number): GeometricLaw | undefined => {
  try {
    return geometricLaw(max, epsilon);
  } catch {
    return undefined;
  }
};

describe.each(EPSILONS)('the two-sided geometric mechanism at ε = %d', (epsilon) => {
  test.each(COUNTS)('up to %i spends less than ε, and at least 0.9 ε', (max) => {
    const law = held(max, epsilon);
    if (law === undefined) return expect(epsilon).toBe(16);
    geometric.validate(law);
    expectHeld(geometric.odds(law).report, epsilon);
  });

  test('up to 7 has every cell possible, and the stated odds as its largest ratio', () => {
    const law = held(7, epsilon);
    if (law === undefined) return expect(epsilon).toBe(16);
    const rows = rowsOf(law);
    for (const row of rows) expect(row.size).toBe(8);
    expect(geometric.odds(law)).toEqual({ report: largestRatio(rows) });
  });

  test('up to 1 is Warner’s response', () => {
    expect(MODULUS - (geometricLaw(1, epsilon).tails[0] as number)).toBe(kAryLaw(2, epsilon).truth);
  });

  test('never has less worst-case variance than the law that the chooser takes for a count', () => {
    for (const max of [1, 2, 3, 5, 10, 20, 50, 100]) {
      const law = held(max, epsilon);
      if (law === undefined) continue;
      const { varianceAt } = scoredScores(countLaw(max, epsilon));
      const chosen = Math.max(...range(max + 1).map((count) => varianceAt(count / max)));
      expect(chosen / geometricScores(law).worst).toBeLessThan(1 + 1e-4);
    }
  });
});

test('scores are the counts but for the ends, which say the mean of their tails', () => {
  const { values } = geometricScores(geometricLaw(10, 2));
  const a = Math.exp(-0.2);
  const ideal = range(11).map((j) => (j === 0 ? -a / (1 - a) : j === 10 ? 10 + a / (1 - a) : j) / 10);
  ideal.forEach((score, j) => {
    expect(values[j]).toBeCloseTo(score, 6);
  });
});

test('what 32 bits cannot hold, and counts above 256, are refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300]) expect(() => geometricLaw(5, epsilon), String(epsilon)).toThrow(RangeError);
  for (const max of [0, 257, 1.5, Number.NaN]) expect(() => geometricLaw(max, 1), String(max)).toThrow(RangeError);
});

test('integers that are no law are refused', () => {
  const { tails } = geometricLaw(3, 1);
  for (const wrong of [[], [0], [MODULUS / 2], [...tails].reverse(), [...tails.slice(0, 2), 0], [tails[0], tails[0]], 'abc']) {
    expect(() => geometric.validate({ mechanism: 'geometric', tails: wrong as number[] }), JSON.stringify(wrong)).toThrow(RangeError);
  }
});

test('at each threshold of each row the word below it and the word itself have outputs that are neighbours', () => {
  for (const epsilon of EPSILONS) {
    for (const max of [1, 2, 7, 20]) {
      const law = held(max, epsilon);
      if (law === undefined) continue;
      for (const count of range(max + 1)) {
        const output = (word: number): string =>
          hex(
            randomizeGeometric(
              law,
              count / max,
              createCoins(() => word),
            ),
          );
        let threshold = 0;
        for (const [j, p] of [...geometricRow(law, count, MODULUS).values()].slice(0, -1).entries()) {
          threshold += Math.round(toNumber(p) * MODULUS);
          expect([output(threshold - 1), output(threshold)]).toEqual([indexReport(j, max + 1), indexReport(j + 1, max + 1)]);
        }
      }
    }
  }
});
