/** Proofs of the mechanisms that put answers on designs: fields, sets that meet alike, thresholds, and fast supports. */

import { hadamard, projective } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  fieldOf,
  type HadamardLaw,
  hadamardLaw,
  hadamard as hadamardMechanism,
  isFieldOrder,
  MODULUS,
  mechanismOf,
  type ProjectiveLaw,
  pointCode,
  pointCount,
  pointIndex,
  projectiveLaw,
  projective as projectiveMechanism,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { supportsOf } from '#collector/estimation/mechanisms/table.ts';
import { addSupports } from '#collector/estimation/tally.ts';
import { EPSILONS, expectHeld, expectLargest } from './asked.ts';
import { range } from './channel.ts';
import { expectSupport } from './estimator.ts';
import { expectSupportSaid } from './preview.ts';
import { add, divide, multiply, ONE, rational, subtract } from './rational.ts';

const ORDERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27];

describe.each(ORDERS)('GF(%i)', (order) => {
  const { add: sum, negative, multiply: product, inverse } = fieldOf(order);
  const elements = range(order);

  test('is a field: both operations associate and commute, one distributes over the other, and each has inverses', () => {
    for (const a of elements) {
      expect([sum(a, 0), product(a, 1), product(a, 0), sum(a, negative(a))]).toEqual([a, a, 0, 0]);
      if (a !== 0) expect(product(a, inverse(a))).toBe(1);
      for (const b of elements) {
        expect([sum(a, b), product(a, b)]).toEqual([sum(b, a), product(b, a)]);
        // Plain comparisons: there are 20,000 triples, and an expectation takes longer than all of its arithmetic.
        const wrong = elements.filter(
          (c) =>
            sum(a, sum(b, c)) !== sum(sum(a, b), c) ||
            product(a, product(b, c)) !== product(product(a, b), c) ||
            product(a, sum(b, c)) !== sum(product(a, b), product(a, c)),
        );
        expect(wrong, `c with a = ${a}, b = ${b}`).toEqual([]);
      }
    }
  });

  test('has points numbered as their codes ascend, and every vector on one of them', () => {
    const codes = range(order ** 3).filter((code) => code.toString(order).startsWith('1'));
    expect(range(pointCount(order, 3)).map((index) => pointCode(order, index))).toEqual(codes);
    const field = fieldOf(order);
    codes.forEach((code, index) => {
      const found = elements.slice(1).map((scale) => {
        const digits = range(3).map((i) => product(scale, Math.floor(code / order ** i) % order));
        return pointIndex(
          field,
          digits.reduce((all, digit, i) => all + digit * order ** i, 0),
        );
      });
      expect(new Set(found)).toEqual(new Set([index]));
    });
  });
});

test('fields are of primes and their powers, and there are no others', () => {
  expect(range(64).filter(isFieldOrder)).toEqual([
    2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 47, 49, 53, 59, 61,
  ]);
  expect([1021, 1024, 1331, 2048, 100_003, 2.5, -3, 0, Number.NaN].map(isFieldOrder)).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(() => fieldOf(6)).toThrow("expected a prime below 2^26 or a prime's power up to 1024, got 6");
});

type Law = HadamardLaw | ProjectiveLaw;
const SIZES = [2, 3, 16, 100, 1024, 100_000];

/** One output inside and one outside of an answer's set, and how many there are of each: by the papers' formulas. */
function chances(law: Law): {
  inside: ReturnType<typeof rational>;
  outside: ReturnType<typeof rational>;
  set: bigint;
  others: bigint;
  both: bigint;
} {
  const [q, t] = [BigInt(law.order), BigInt(law.dimension)];
  const points = (dimension: bigint): bigint => (q ** dimension - 1n) / (q - 1n);
  const [set, others, both] =
    law.mechanism === 'hadamard' ? [q ** (t - 1n), q ** t - q ** (t - 1n), q ** (t - 2n)] : [points(t - 1n), q ** (t - 1n), points(t - 2n)];
  return {
    inside: rational(BigInt(law.inside), BigInt(MODULUS) * set),
    outside: rational(BigInt(MODULUS - law.inside), BigInt(MODULUS) * others),
    set,
    others,
    both,
  };
}

describe.each([...EPSILONS, 1e-4])('at ε = %d', (epsilon) => {
  test.each(SIZES)('both laws over %i answers spend at most ε, as much as integers can, and support others alike', (size) => {
    for (const law of [hadamardLaw(size, epsilon), projectiveLaw(size, epsilon)]) {
      const mechanism = mechanismOf(law);
      mechanism.validate(law);
      const { inside, outside, set, others, both } = chances(law);
      expect(add(multiply(rational(set), inside), multiply(rational(others), outside))).toEqual(ONE);
      expect(mechanism.odds(law).report).toEqual(divide(inside, outside));
      expectHeld(divide(inside, outside), epsilon);
      const next = chances({ ...law, inside: law.inside + 1 });
      if (law.inside + 1 < MODULUS) expectLargest(divide(next.inside, next.outside), epsilon);
      const q = add(multiply(rational(both), inside), multiply(rational(set - both), outside));
      expectSupport(mechanism.support(law), { p: multiply(rational(set), inside), q });
      expect(subtract(multiply(rational(set), inside), q).numerator > 0n).toBe(true);
    }
  });
});

const DESIGNS: readonly Law[] = [
  ...[2, 4, 8, 16].map((order) => hadamardLaw(Math.min(90, pointCount(order, 3)), 1, order)),
  ...[2, 3, 4, 5, 8, 9, 16, 25, 27].map((order) => projectiveLaw(Math.min(90, pointCount(order, 3)), 1, order)),
  hadamardLaw(200, 1, 2),
  hadamardLaw(150, 1, 4),
  projectiveLaw(150, 1, 3),
  projectiveLaw(150, 1, 4),
  projectiveLaw(28, 1, 27),
];

test.each(DESIGNS)('has sets of one size, any two of which meet in one number of outputs: %o', (law) => {
  const { set, both } = chances(law);
  const sets = range(law.size).map((answer) => mechanismOf(law).supporting?.(law, 0, answer) as readonly number[]);
  sets.forEach((own, answer) => {
    expect(own.length).toBe(Number(set));
    const members = new Set(own);
    for (const other of sets.slice(answer + 1)) expect(other.filter((cell) => members.has(cell)).length).toBe(Number(both));
  });
});

test.each(DESIGNS)('has fast supports that are those of the definition: %o', (law) => {
  const word = words(seededRng(3));
  const tally = () => ({ reports: 5, cells: Float64Array.from({ length: mechanismOf(law).shape(law).cells }, () => word() % 1_000) });
  const tallies = new Map([[0, tally()]]);
  expect(supportsOf(law, tallies).cells).toEqual(addSupports(law, tallies));
});

test.each([
  hadamardLaw(100_000, 1),
  hadamardLaw(100_000, 16),
  projectiveLaw(100_000, 1),
  projectiveLaw(100_000, 8),
  projectiveLaw(100_000, 16),
])('over 100,000 answers sends outputs of the set below the threshold and others from it on, and supports find them: %o', (law) => {
  const { randomizers } = law.mechanism === 'hadamard' ? hadamard() : projective();
  const randomize = randomizers[law.mechanism] as unknown as (law: Law, answer: number, coins: unknown) => Uint8Array;
  const word = words(seededRng(8));
  const { decode, shape } = mechanismOf(law);
  const tried = [0, 1, 54_321, 99_999].flatMap((answer) => [
    { answer, first: law.inside - 1, isInside: 1 },
    { answer, first: law.inside, isInside: 0 },
  ]);
  // Supports are sums over reports. Report i counts 2^i times, so that one transform shows of each what it supports.
  const cells = new Float64Array(shape(law).cells);
  for (const [i, { answer, first }] of tried.entries()) {
    const script = [first];
    const report = randomize(
      law,
      answer,
      createCoins(() => script.shift() ?? word()),
    );
    for (const cell of decode(law, report).cells) cells[cell] = (cells[cell] as number) + 2 ** i;
  }
  const supports = supportsOf(law, new Map([[0, { reports: 2 ** tried.length - 1, cells }]])).cells;
  for (const [i, { answer, isInside }] of tried.entries()) expect(((supports[answer] as number) >> i) & 1).toBe(isInside);
});

test('what can be no law is refused, with the reason', () => {
  for (const epsilon of [1e-11, 64, 720]) {
    expect(() => hadamardLaw(16, epsilon), String(epsilon)).toThrow(RangeError);
    expect(() => projectiveLaw(16, epsilon), String(epsilon)).toThrow(RangeError);
  }
  expect(() => hadamardLaw(100_000, 1, 1024)).toThrow('at most 2097152 outputs, got 100000 answers and order 1024');
  expect(() => hadamardLaw(10, 1, 3)).toThrow('expected a power of two');
  expect(() => projectiveLaw(10, 1, 6)).toThrow('expected a prime');
  expect(() => projectiveLaw(100_000, 1, 1024)).toThrow('at most 4194304 outputs');
  const [h, p] = [hadamardLaw(10, 1), projectiveLaw(10, 1)];
  for (const change of [
    { order: 3 },
    { order: 2048 },
    { dimension: 1 },
    { dimension: 20 },
    { size: 1000 },
    { inside: 1 },
    { inside: MODULUS },
  ]) {
    expect(() => hadamardMechanism.validate({ ...h, ...change }), JSON.stringify(change)).toThrow(RangeError);
  }
  for (const change of [{ order: 6 }, { dimension: 1 }, { dimension: 40 }, { size: 1000 }, { inside: 1 }, { inside: MODULUS }]) {
    expect(() => projectiveMechanism.validate({ ...p, ...change }), JSON.stringify(change)).toThrow(RangeError);
  }
});

test.each([hadamard(), projective()])('a permanent metric is refused, with the reason', ({ law }) => {
  expect(() => law(10, 1, 1, 4)).toThrow('not permanent');
});

test.each(DESIGNS)('a preview says the answers that a report supports: %o', (law) => {
  expectSupportSaid(law.mechanism === 'hadamard' ? hadamard() : projective(), law);
});
