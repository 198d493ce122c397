/** Proofs of k-ary randomized response beyond those of the conformance suite: the law at every ε and size, the second stage, two bytes. */

import { type KAryLaw, kAry, kAryLaw, MODULUS, permanentKAryLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { createCoins } from '#client/random/coins.ts';
import { randomizeKAry, respondKAry } from '#client/randomizers/k-ary.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { indexReport, kAryRow } from './channel.ts';
import { exactDistribution, hex } from './enumerate.ts';
import { expectSupport } from './estimator.ts';
import { add, divide, multiply, ONE, type Rational, rational, sum } from './rational.ts';

const SIZES = [2, 3, 4, 5, 6, 7, 16, 100, 256, 257, 1024, 65_536, 100_000];

const bytesOf = (report: string): Uint8Array => Uint8Array.from(Buffer.from(report, 'hex'));

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
  expectSupport(kAry.support(law), { p: same, q: other });
  expectHeld(divide(same, other), epsilon);
};

describe.each(EPSILONS)('a k-ary response at ε = %d', (epsilon) => {
  test.each(SIZES)('over %i answers spends at most ε, at least 0.9 ε, and as much as integers can', (size) => {
    const law = kAryLaw(size, epsilon);
    kAry.validate(law);
    asked(law, stage(size, law.truth), epsilon);
    expectLargest(rational(BigInt(law.truth + 1) * BigInt(size - 1), MODULUS - law.truth - 1), epsilon);
  });
});

describe.each(PERMANENT)('a permanent k-ary response at ε₁ = %d, ε∞ = %d', (epsilon, permanent) => {
  test.each(SIZES)('over %i answers spends at most what was asked, and as much as integers can', (size) => {
    const law = permanentKAryLaw(size, epsilon, permanent);
    kAry.validate(law);
    asked(law, bothStages(law), epsilon);
    expect(kAry.odds(law).permanent).toEqual(kAry.odds(kAryLaw(size, permanent)).report);
    const truth = (law.irr?.truth ?? 0) + 1;
    if (truth <= MODULUS) expectLargest(divide(...bothStages({ ...law, irr: { truth } })), epsilon);
    else expect(epsilon).toBe(permanent);
  });
});

test('a k-ary response that 32 bits cannot hold is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 720, 1e3, 1e300]) {
    expect(() => kAryLaw(2, epsilon), String(epsilon)).toThrow(RangeError);
    expect(() => permanentKAryLaw(2, epsilon, epsilon), String(epsilon)).toThrow(RangeError);
  }
});

test('the word irr.truth - 1 tells the stored symbol and the word irr.truth tells another', () => {
  for (const law of [2, 16, 1024].flatMap((size) => EPSILONS.map((epsilon) => permanentKAryLaw(size, epsilon, epsilon + 1)))) {
    const symbol = indexReport(1, law.size);
    const truth = law.irr?.truth as number;
    const said = (first: number): string => {
      const words = [first];
      return hex(
        respondKAry(
          law,
          bytesOf(symbol),
          createCoins(() => words.shift() ?? 0),
        ),
      );
    };
    expect(said(truth - 1)).toBe(symbol);
    expect(said(truth)).not.toBe(symbol);
  }
});

test('over all strings of words, the shipped k-ary response reports more answers than a byte holds in two bytes', () => {
  const law: KAryLaw = { mechanism: 'k-ary', size: 257, truth: 100 };
  const expected = kAryRow(257, 100, 512, 256);
  expect(exactDistribution((coins) => randomizeKAry(law, 256, coins), 512)).toEqual(expected);
});
