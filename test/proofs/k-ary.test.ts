/** Proofs of k-ary randomized response: the law over 2^32, its thresholds, and the shipped code over all coins. */

import { type KAryLaw, kAry, kAryLaw, MODULUS, permanentKAryLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { type Coins, createCoins } from '#client/random/coins.ts';
import { randomizeKAry, respondKAry } from '#client/randomizers/k-ary.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { compose, indexReport, kAryRow, largestRatio, range } from './channel.ts';
import { type Distribution, exactDistribution, hex } from './enumerate.ts';
import { cellChances, expectSupport, expectUnbiased, supportOf } from './estimator.ts';
import { add, divide, multiply, ONE, type Rational, rational, sum } from './rational.ts';

const SIZES = [2, 3, 4, 5, 6];
const LARGE = [7, 16, 100, 256, 257, 1024, 65_536, 100_000];

const bytesOf = (report: string): Uint8Array => Uint8Array.from(Buffer.from(report, 'hex'));
const indexOf = (report: string): number => Number.parseInt(report, 16);
const cellsOf = (law: KAryLaw) => (report: string) => kAry.decode(law, bytesOf(report)).cells;

const firstRows = ({ size, truth }: KAryLaw, T: number = MODULUS): readonly Distribution[] =>
  range(size).map((answer) => kAryRow(size, truth, T, answer));

const reportRows = (law: KAryLaw, T: number = MODULUS): readonly Distribution[] => {
  const { size, irr } = law;
  const rows = firstRows(law, T);
  return irr === undefined ? rows : rows.map((row) => compose(row, (symbol) => kAryRow(size, irr.truth, T, indexOf(symbol))));
};

/** P(same) and P(one given other) of a stage. */
const stage = (size: number, truth: number): readonly [Rational, Rational] => [
  rational(truth, MODULUS),
  rational(MODULUS - truth, MODULUS * (size - 1)),
];

/** Of both stages: d answers could have been stored, of which the middle ones are alike. */
function bothStages({ size, truth, irr }: KAryLaw): readonly [same: Rational, other: Rational] {
  const [[a, a1], [b, b1]] = [stage(size, truth), stage(size, irr?.truth ?? MODULUS)];
  const same = add(multiply(a, b), multiply(rational(size - 1), multiply(a1, b1)));
  return [same, sum([multiply(a, b1), multiply(a1, b), multiply(rational(size - 2), multiply(a1, b1))])];
}

const asked = (law: KAryLaw, [same, other]: readonly [Rational, Rational], epsilon: number): void => {
  expect(add(same, multiply(rational(law.size - 1), other))).toEqual(ONE);
  expect(kAry.odds(law).report).toEqual(divide(same, other));
  expectHeld(divide(same, other), epsilon);
};

describe.each(EPSILONS)('a k-ary response at ε = %d', (epsilon) => {
  test.each(SIZES)('over %i answers has rows that sum to 1, and the stated odds as its largest ratio', (size) => {
    const law = kAryLaw(size, epsilon);
    const rows = firstRows(law);
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    expect(kAry.odds(law)).toEqual({ report: largestRatio(rows) });
    expectSupport(kAry.support(law), supportOf(rows.map((row) => cellChances(row, cellsOf(law), size))));
  });

  test.each([...SIZES, ...LARGE])('over %i answers spends at most ε, at least 0.9 ε, and as much as integers can', (size) => {
    const law = kAryLaw(size, epsilon);
    kAry.validate(law);
    asked(law, stage(size, law.truth), epsilon);
    expectLargest(rational(BigInt(law.truth + 1) * BigInt(size - 1), MODULUS - law.truth - 1), epsilon);
  });

  test('has an estimator without bias, of the stated variance', () => {
    for (const [size, population] of [
      [2, [0, 1, 1, 1]],
      [3, [0, 0, 1]],
      [4, [3, 1, 3]],
    ] as const) {
      const law = kAryLaw(size, epsilon);
      expectUnbiased(firstRows(law), cellsOf(law), population, kAry.support(law));
    }
  });
});

describe.each(PERMANENT)('a permanent k-ary response at ε₁ = %d, ε∞ = %d', (epsilon, permanent) => {
  test.each(SIZES)('over %i answers is the two stages one after the other', (size) => {
    const law = permanentKAryLaw(size, epsilon, permanent);
    const rows = reportRows(law);
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    expect(kAry.odds(law)).toEqual({ report: largestRatio(rows), permanent: largestRatio(firstRows(law)) });
    expectSupport(kAry.support(law), supportOf(rows.map((row) => cellChances(row, cellsOf(law), size))));
    expectSupport(kAry.support(law, 'permanent'), supportOf(firstRows(law).map((row) => cellChances(row, cellsOf(law), size))));
  });

  test.each([...SIZES, ...LARGE])('over %i answers spends at most what was asked, and as much as integers can', (size) => {
    const law = permanentKAryLaw(size, epsilon, permanent);
    kAry.validate(law);
    asked(law, bothStages(law), epsilon);
    expect(kAry.odds(law).permanent).toEqual(kAry.odds(kAryLaw(size, permanent)).report);
    const truth = (law.irr?.truth ?? 0) + 1;
    if (truth <= MODULUS) expectLargest(divide(...bothStages({ ...law, irr: { truth } })), epsilon);
    else expect(epsilon).toBe(permanent);
  });

  test('has an estimator without bias, of the stated variance', () => {
    const law = permanentKAryLaw(3, epsilon, permanent);
    expectUnbiased(reportRows(law), cellsOf(law), [2, 0, 2], kAry.support(law));
  });
});

test('a k-ary response that 32 bits cannot hold is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 720, 1e3, 1e300]) {
    expect(() => kAryLaw(2, epsilon), String(epsilon)).toThrow(RangeError);
    expect(() => permanentKAryLaw(2, epsilon, epsilon), String(epsilon)).toThrow(RangeError);
  }
});

describe('at its thresholds', () => {
  const scripted = (...words: readonly number[]): Coins => {
    const rest = [...words];
    return createCoins(() => rest.shift() ?? 0);
  };
  const laws = [2, 16, 1024].flatMap((size) => EPSILONS.map((epsilon) => permanentKAryLaw(size, epsilon, epsilon + 1)));

  test('the word truth - 1 tells the answer and the word truth tells another', () => {
    for (const law of laws) {
      const answer = indexReport(1, law.size);
      expect(hex(randomizeKAry(law, 1, scripted(law.truth - 1)))).toBe(answer);
      expect(hex(randomizeKAry(law, 1, scripted(law.truth)))).not.toBe(answer);
    }
  });

  test('the word irr.truth - 1 tells the stored symbol and the word irr.truth tells another', () => {
    for (const law of laws) {
      const symbol = indexReport(1, law.size);
      const truth = law.irr?.truth as number;
      expect(hex(respondKAry(law, bytesOf(symbol), scripted(truth - 1)))).toBe(symbol);
      expect(hex(respondKAry(law, bytesOf(symbol), scripted(truth)))).not.toBe(symbol);
    }
  });
});

describe('over all strings of words, the shipped k-ary response', () => {
  const randomized = (law: KAryLaw, answer: number, modulus: number): Distribution =>
    exactDistribution((coins) => randomizeKAry(law, answer, coins), modulus);

  test.each([2, 3, 4, 5, 6, 7])('has exactly the channel of every truth there is below 2^4, over %i answers', (size) => {
    for (let truth = 0; truth <= 16; truth++) {
      const law: KAryLaw = { mechanism: 'k-ary', size, truth };
      for (const answer of range(size)) expect(randomized(law, answer, 16)).toEqual(kAryRow(size, truth, 16, answer));
    }
  });

  test.each([32, 64, 128, 256])('has exactly the channel of laws derived with words below %i', (modulus) => {
    for (const [size, epsilon] of [
      [2, 1.5],
      [3, 2],
      [5, 2],
      [7, 2.5],
    ] as const) {
      const law = kAryLaw(size, epsilon, modulus);
      for (const answer of [0, 1, size - 1]) expect(randomized(law, answer, modulus)).toEqual(kAryRow(size, law.truth, modulus, answer));
    }
  });

  test.each([2, 3, 4, 5, 6, 7])('answers a stored symbol by exactly the channel of the second stage, over %i answers', (size) => {
    for (let truth = 0; truth <= 16; truth++) {
      const law: KAryLaw = { mechanism: 'k-ary', size, truth: 3, irr: { truth } };
      for (const symbol of range(size)) {
        const respond = (coins: Coins): Uint8Array => respondKAry(law, bytesOf(indexReport(symbol, size)), coins);
        expect(exactDistribution(respond, 16)).toEqual(kAryRow(size, truth, 16, symbol));
      }
    }
  });

  test.each([
    [2, 3],
    [3, 1.5],
    [4, 2],
  ])('has, through both stages, exactly the composed channel of a derived law over %i answers', (size, permanent) => {
    const law = permanentKAryLaw(size, 1, permanent, 16);
    const both = (coins: Coins, answer: number): Uint8Array => respondKAry(law, randomizeKAry(law, answer, coins), coins);
    for (const answer of [0, size - 1]) {
      expect(exactDistribution((coins) => both(coins, answer), 16)).toEqual(reportRows(law, 16)[answer]);
    }
  });

  test('reports more answers than a byte holds in two bytes, each as often as the law says', () => {
    const law: KAryLaw = { mechanism: 'k-ary', size: 257, truth: 100 };
    const expected = kAryRow(257, 100, 512, 256);
    expect(exactDistribution((coins) => randomizeKAry(law, 256, coins), 512)).toEqual(expected);
  });
});
