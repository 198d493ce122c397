/** Proofs of both sketches: families over powers of two collide alike, thresholds, the cost of collisions, and fast supports. */

import { countMeanSketch, hadamardCountMeanSketch } from '@murmuration/client/mechanisms';
import { seededRng, words } from '@murmuration/client/testing';
import {
  bucketIn,
  bucketOf,
  type CountMeanSketchLaw,
  countMeanSketchLaw,
  countMeanSketch as countMechanism,
  familyOf,
  fieldOf,
  type HadamardCountMeanSketchLaw,
  hadamardCountMeanSketchLaw,
  hadamardCountMeanSketch as hadamardMechanism,
  MODULUS,
  meanVariance,
  mechanismOf,
  signOf,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { supportsOf } from '#collector/estimation/mechanisms/table.ts';
import { addSupports } from '#collector/estimation/tally.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { range } from './channel.ts';
import { expectSupport } from './estimator.ts';
import { bucketsOf } from './geometry.ts';
import { expectSupportSaid } from './preview.ts';
import { add, divide, multiply, ONE, type Rational, rational, subtract } from './rational.ts';

const SIZES = [2, 3, 16, 100, 1024, 100_000];

describe.each([2, 4, 8, 16])('in %i buckets', (m) => {
  test.each([m, m + 1, m * m, 70].filter((size) => size <= m ** 4))('any two of %i answers collide in exactly c of the cohorts', (size) => {
    const { cohorts, collisions } = familyOf(size, m);
    const rows = range(size).map((answer) => range(cohorts).map((cohort) => bucketIn(fieldOf(m), cohort, answer)));
    rows.forEach((row, answer) => {
      if (answer < 20) expect(row).toEqual(bucketsOf(m, size, answer));
      for (const other of rows.slice(answer + 1)) {
        expect(row.filter((bucket, cohort) => bucket === other[cohort]).length / cohorts).toBeCloseTo(collisions, 15);
      }
    });
  });

  test('two buckets have the same sign at half of the coefficients', () => {
    for (const a of range(m)) {
      for (const b of range(a)) expect(range(m).filter((j) => signOf(a, j) === signOf(b, j)).length).toBe(m / 2);
    }
  });
});

test.each([2, 3, 5, 7])('over GF(%i) buckets are those of numbers modulo it', (m) => {
  for (const cohort of range(familyOf(60, m).cohorts)) {
    for (const answer of range(60)) expect(bucketIn(fieldOf(m), cohort, answer)).toBe(bucketOf(m, cohort, answer));
  }
});

/** q of a law, in rationals: c p + (1 - c) q'. */
function collided(size: number, buckets: number, p: Rational, other: Rational): Rational {
  let k = 1n;
  while (BigInt(buckets) ** k < BigInt(size)) k++;
  const c = rational(BigInt(buckets) ** (k - 1n) - 1n, BigInt(buckets) ** k - 1n);
  return add(multiply(c, p), multiply(subtract(ONE, c), other));
}

const over = (threshold: number): Rational => rational(threshold, MODULUS);
const bitOdds = (one: number, zero: number): Rational =>
  divide(multiply(over(one), over(MODULUS - zero)), multiply(over(zero), over(MODULUS - one)));

describe.each([...EPSILONS, 1e-4])('at ε = %d', (epsilon) => {
  test.each(SIZES)('the count mean sketch over %i answers spends at most ε, and collisions cost at most 5 %', (size) => {
    const law = countMeanSketchLaw(size, epsilon);
    countMechanism.validate(law);
    const { bits, one, zero } = law;
    expect(countMechanism.odds(law)).toEqual({ report: bitOdds(one, zero) });
    expectHeld(bitOdds(one, zero), epsilon);
    expectLargest(bitOdds(one + 1, zero - 1), epsilon);
    expectSupport(countMechanism.support(law), { p: over(one), q: collided(size, bits, over(one), over(zero)) });
    const alone = meanVariance(size, { p: one / MODULUS, q: zero / MODULUS });
    expect(meanVariance(size, countMechanism.support(law)) / alone).toBeLessThanOrEqual(1.05);
  });

  test.each(SIZES)('the Hadamard count mean sketch over %i answers spends at most ε, and collisions cost at most 5 %', (size) => {
    const law = hadamardCountMeanSketchLaw(size, epsilon);
    hadamardMechanism.validate(law);
    const { buckets, truth } = law;
    const odds = (threshold: number): Rational => rational(threshold, MODULUS - threshold);
    expect(hadamardMechanism.odds(law)).toEqual({ report: odds(truth) });
    expectHeld(odds(truth), epsilon);
    expectLargest(odds(truth + 1), epsilon);
    expectSupport(hadamardMechanism.support(law), { p: over(truth), q: collided(size, buckets, over(truth), rational(1, 2)) });
    const alone = meanVariance(size, { p: truth / MODULUS, q: 1 / 2 });
    expect(meanVariance(size, hadamardMechanism.support(law)) / alone).toBeLessThanOrEqual(1.05);
  });
});

test.each(PERMANENT)('a permanent count mean sketch at (%d, %d) has stages that spend at most these', (epsilon, permanent) => {
  const { report, permanent: epoch } = countMechanism.odds(countMeanSketchLaw(1000, epsilon, permanent));
  expectHeld(report, epsilon);
  expectHeld(epoch as Rational, permanent);
});

const LAWS: readonly (CountMeanSketchLaw | HadamardCountMeanSketchLaw)[] = [
  ...[2, 3, 5, 7, 90].map((bits) => countMeanSketchLaw(90, 1, undefined, bits)),
  countMeanSketchLaw(130, 1, undefined, 11),
  ...[2, 4, 8, 16, 128].map((buckets) => hadamardCountMeanSketchLaw(90, 1, buckets)),
];

test.each(LAWS)('has fast supports that are those of the definition: %o', (law) => {
  const word = words(seededRng(4));
  const { cohorts, cells } = mechanismOf(law).shape(law);
  const tally = () => ({ reports: 5, cells: Float64Array.from({ length: cells }, () => word() % 1_000) });
  const some = new Map(range(cohorts).flatMap((cohort) => (cohort % 3 === 1 ? [] : [[cohort, tally()] as const])));
  for (const tallies of [some, new Map(range(cohorts).map((cohort) => [cohort, tally()] as const))]) {
    expect(supportsOf(law, tallies).cells).toEqual(addSupports(law, tallies));
  }
});

test('what can be no law is refused, with the reason', () => {
  for (const epsilon of [1e-11, 64, 720]) {
    expect(() => countMeanSketchLaw(16, epsilon), String(epsilon)).toThrow(RangeError);
    expect(() => hadamardCountMeanSketchLaw(16, epsilon), String(epsilon)).toThrow(RangeError);
  }
  for (const bits of [1, 4, 17, 2.5])
    expect(() => countMeanSketchLaw(16, 1, undefined, bits), String(bits)).toThrow('expected as many bits');
  expect(() => countMeanSketchLaw(100_000, 1, undefined, 50_021)).toThrow('at most 2^21 cells');
  for (const buckets of [1, 3, 2048]) expect(() => hadamardCountMeanSketchLaw(16, 1, buckets), String(buckets)).toThrow('power of two');
  const [c, h] = [countMeanSketchLaw(100, 1), hadamardCountMeanSketchLaw(100, 1)];
  for (const change of [{ size: 1 }, { bits: 4 }, { bits: 0 }, { one: c.zero }, { zero: 0 }]) {
    expect(() => countMechanism.validate({ ...c, ...change }), JSON.stringify(change)).toThrow(RangeError);
  }
  for (const change of [{ size: 1 }, { buckets: 3 }, { buckets: 0 }, { truth: 2 ** 31 - 1 }, { truth: MODULUS }]) {
    expect(() => hadamardMechanism.validate({ ...h, ...change }), JSON.stringify(change)).toThrow(RangeError);
  }
});

test('of the two only the count mean sketch has a second stage, whose law is exact', () => {
  expect(() => hadamardCountMeanSketch().law(10, 1, 1, 4)).toThrow('not permanent');
  expect(countMeanSketch().law(10, 1, 1, 4)).toMatchObject({ irr: { one: expect.any(Number) } });
});

test.each(LAWS)('a preview says the answers that a report supports: %o', (law) => {
  expectSupportSaid(law.mechanism === 'count-mean-sketch' ? countMeanSketch() : hadamardCountMeanSketch(), law);
});
