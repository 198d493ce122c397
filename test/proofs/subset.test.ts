/** Proofs of subset selection beyond those of the conformance suite: the law at every ε and size, and sets of two bytes. */

import { MODULUS, type SubsetLaw, subset, subsetLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeSubset } from '#client/randomizers/subset.ts';
import { EPSILONS, expectHeld, expectLargest } from './asked.ts';
import { choose, range, subsetRow } from './channel.ts';
import { exactDistribution } from './enumerate.ts';
import { expectSupport } from './estimator.ts';
import { add, divide, multiply, ONE, type Rational, rational } from './rational.ts';

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

/** The probabilities of one set that holds the answer, and of one that does not. */
const setChances = ({ size, subset: m, include }: SubsetLaw): readonly [Rational, Rational] => [
  rational(BigInt(include), BigInt(MODULUS) * choose(size - 1, m - 1)),
  rational(BigInt(MODULUS - include), BigInt(MODULUS) * choose(size - 1, m)),
];

describe.each(EPSILONS)('subset selection at ε = %d', (epsilon) => {
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

  test.each([...SMALL, ...LARGE])('over %i answers, sets of %i, supports each other answer with the stated probability', (size, m) => {
    const law = subsetLaw(size, m, epsilon);
    const [inside, outside] = setChances(law);
    const both = add(multiply(rational(choose(size - 2, m - 2)), inside), multiply(rational(choose(size - 2, m - 1)), outside));
    expectSupport(subset.support(law), { p: multiply(rational(choose(size - 1, m - 1)), inside), q: both });
  });
});

test('subset selection that 32 bits cannot hold is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 720, 1e3, 1e300]) expect(() => subsetLaw(16, 4, epsilon), String(epsilon)).toThrow(RangeError);
});

test('over all strings of words, the shipped subset selection keeps sets of more than eight answers in two bytes', () => {
  const law: SubsetLaw = { mechanism: 'subset', size: 10, subset: 2, include: 5 };
  for (const answer of [0, 8]) {
    const exact = exactDistribution((coins) => randomizeSubset(law, answer, coins), 16);
    expect(exact).toEqual(subsetRow(law.size, law.subset, law.include, 16, answer));
  }
});
