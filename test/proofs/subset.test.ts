/** Proofs of subset selection: the law over 2^32, its threshold, and the shipped code over all coins. */

import { MODULUS, type SubsetLaw, subset, subsetLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { createCoins } from '#client/random/coins.ts';
import { randomizeSubset } from '#client/randomizers/subset.ts';
import { EPSILONS, expectHeld, expectLargest } from './asked.ts';
import { choose, largestRatio, range, subsetRow } from './channel.ts';
import { type Distribution, exactDistribution, hex } from './enumerate.ts';
import { cellChances, expectSupport, expectUnbiased, supportOf } from './estimator.ts';
import { add, divide, multiply, ONE, type Rational, rational, sum } from './rational.ts';

/** Every subset size of small lists. */
const SMALL = [3, 4, 5, 6].flatMap((size) =>
  range(size)
    .filter((m) => m >= 2)
    .map((m) => [size, m] as const),
);
const LARGE = [
  [16, 4],
  [64, 2],
  [100, 99],
  [128, 34],
  [1024, 275],
  [5000, 2500],
] as const;

const cellsOf = (law: SubsetLaw) => (report: string) => subset.decode(law, Uint8Array.from(Buffer.from(report, 'hex'))).cells;

const rowsOf = ({ size, subset: m, include }: SubsetLaw): readonly Distribution[] =>
  range(size).map((answer) => subsetRow(size, m, include, MODULUS, answer));

/** The probabilities of one set that holds the answer, and of one that does not. */
const setChances = ({ size, subset: m, include }: SubsetLaw): readonly [Rational, Rational] => [
  rational(BigInt(include), BigInt(MODULUS) * choose(size - 1, m - 1)),
  rational(BigInt(MODULUS - include), BigInt(MODULUS) * choose(size - 1, m)),
];

describe.each(EPSILONS)('subset selection at ε = %d', (epsilon) => {
  test.each(SMALL)('over %i answers, sets of %i, has rows that sum to 1 and the stated odds as its largest ratio', (size, m) => {
    const law = subsetLaw(size, m, epsilon);
    const rows = rowsOf(law);
    for (const row of rows) {
      expect(row.size).toBe(Number(choose(size, m)));
      expect(sum(row.values())).toEqual(ONE);
    }
    expect(subset.odds(law)).toEqual({ report: largestRatio(rows) });
    expectSupport(subset.support(law), supportOf(rows.map((row) => cellChances(row, cellsOf(law), size))));
  });

  test.each([...SMALL, ...LARGE])('over %i answers, sets of %i, spends at most ε, and as much as integers can', (size, m) => {
    const law = subsetLaw(size, m, epsilon);
    subset.validate(law);
    const [inside, outside] = setChances(law);
    const [holding, missing] = [rational(choose(size - 1, m - 1)), rational(choose(size - 1, m))];
    expect(add(multiply(holding, inside), multiply(missing, outside))).toEqual(ONE);
    expect(subset.odds(law).report).toEqual(divide(inside, outside));
    expectHeld(divide(inside, outside), epsilon);
    expectLargest(divide(...setChances({ ...law, include: law.include + 1 })), epsilon);
  });

  test.each(LARGE)('over %i answers, sets of %i, supports each other answer with the stated probability', (size, m) => {
    const law = subsetLaw(size, m, epsilon);
    const [inside, outside] = setChances(law);
    const both = add(multiply(rational(choose(size - 2, m - 2)), inside), multiply(rational(choose(size - 2, m - 1)), outside));
    expectSupport(subset.support(law), { p: multiply(rational(choose(size - 1, m - 1)), inside), q: both });
  });

  test('has an estimator without bias, of the stated variance', () => {
    for (const [size, m, population] of [
      [3, 2, [0, 2, 2, 2]],
      [4, 2, [1, 1, 3]],
      [5, 3, [4, 0]],
    ] as const) {
      const law = subsetLaw(size, m, epsilon);
      expectUnbiased(rowsOf(law), cellsOf(law), population, subset.support(law));
    }
  });
});

test('subset selection that 32 bits cannot hold is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 720, 1e3, 1e300]) expect(() => subsetLaw(16, 4, epsilon), String(epsilon)).toThrow(RangeError);
});

test('the word include - 1 puts the answer into the set, and the word include leaves it out', () => {
  for (const [size, m] of [...SMALL, ...LARGE]) {
    for (const epsilon of EPSILONS) {
      const law = subsetLaw(size, m, epsilon);
      for (const [word, inside] of [
        [law.include - 1, true],
        [law.include, false],
      ] as const) {
        for (const answer of [0, size - 1]) {
          const rest = [word];
          const set = randomizeSubset(
            law,
            answer,
            createCoins(() => rest.shift() ?? 0),
          );
          expect(cellsOf(law)(hex(set)).includes(answer)).toBe(inside);
        }
      }
    }
  }
});

describe('over all strings of words, the shipped subset selection', () => {
  const expectExhausted = (law: SubsetLaw, answers: readonly number[], modulus: number): void => {
    for (const answer of answers) {
      const exact = exactDistribution((coins) => randomizeSubset(law, answer, coins), modulus);
      expect(exact).toEqual(subsetRow(law.size, law.subset, law.include, modulus, answer));
    }
  };

  test.each([
    [3, 2],
    [4, 2],
    [5, 2],
    [6, 2],
  ])('has exactly the channel of every threshold there is below 2^4, over %i answers, sets of %i', (size, m) => {
    for (let include = 0; include <= 16; include++) expectExhausted({ mechanism: 'subset', size, subset: m, include }, range(size), 16);
  });

  test.each([
    [4, 3],
    [5, 3],
    [6, 3],
  ])('has exactly the channel of three thresholds below 2^4, over %i answers, sets of %i', (size, m) => {
    for (const include of [1, 9, 15]) expectExhausted({ mechanism: 'subset', size, subset: m, include }, range(size), 16);
  });

  test.each([
    [5, 4],
    [6, 4],
  ])('has exactly the channel of a threshold below 2^4, over %i answers, sets of %i', (size, m) => {
    expectExhausted({ mechanism: 'subset', size, subset: m, include: 11 }, [0, size - 2], 16);
  });

  test.each([
    [3, 2, 1, 256],
    [4, 2, 1.5, 128],
    [6, 2, 2, 64],
    [5, 3, 2, 32],
    [6, 3, 1, 32],
  ])(
    'has exactly the channel of the law over %i answers, sets of %i, derived at ε = %d with words below %i',
    (size, m, epsilon, modulus) => {
      expectExhausted(subsetLaw(size, m, epsilon, modulus), [size - 1], modulus);
    },
  );

  test('has exactly the channel of the law over 6 answers, sets of 5, with words below 8', () => {
    for (const include of [1, 7]) expectExhausted({ mechanism: 'subset', size: 6, subset: 5, include }, range(6), 8);
  });

  test('keeps sets of more than eight answers in two bytes, each as often as the law says', () => {
    expectExhausted({ mechanism: 'subset', size: 10, subset: 2, include: 5 }, [0, 8], 16);
  });
});
