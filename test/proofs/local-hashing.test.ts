/** Proofs of local hashing over a list: the channel over all cohorts in rationals, exactly pure; buckets, codec and transform. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  bucketsFor,
  familyOf,
  isPrime,
  type LocalHashingLaw,
  localHashing,
  localHashingLaw,
  MODULUS,
  meanVariance,
  subsetIdeal,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { supportsOf } from '#collector/estimation/mechanisms/table.ts';
import { addSupports } from '#collector/estimation/tally.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { compose, largestRatio, range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { cellChances, expectSupport, supportOf } from './estimator.ts';
import { bucketReport, bucketRow, cohortVectors, dimension, innerProduct, localHashingRow } from './hashed.ts';
import { add, multiply, ONE, type Rational, rational, subtract, sum } from './rational.ts';

/** d and g: k = 1, 2, 3 and 4, with as many answers as vectors and with fewer. */
const SHAPES = [
  [2, 2],
  [6, 6],
  [3, 2],
  [4, 2],
  [13, 2],
  [9, 3],
  [11, 3],
  [8, 5],
  [8, 7],
  [6, 4],
  [16, 4],
  [17, 4],
] as const;

const bytesOf = (report: string): Uint8Array => Uint8Array.from(Buffer.from(report, 'hex'));
const cohortsOf = ({ size, buckets }: LocalHashingLaw): number => familyOf(size, buckets).cohorts;

/** The answers that a report supports: those that its cohort's vector sends to its bucket. */
function supportedBy(law: LocalHashingLaw): (report: string) => readonly number[] {
  const vectors = law.buckets === law.size ? [[1]] : cohortVectors(law.size, law.buckets);
  const place = (s: readonly number[], answer: number): number =>
    law.buckets === law.size ? answer : innerProduct(s, answer, law.buckets);
  const known = new Map(
    vectors.flatMap((s, cohort) =>
      range(law.buckets).map((bucket) => [
        bucketReport(vectors.length, cohort, law.buckets, bucket),
        range(law.size).filter((answer) => place(s, answer) === bucket),
      ]),
    ),
  );
  return (report) => known.get(report) ?? [];
}

const firstRows = ({ size, buckets, truth }: LocalHashingLaw): readonly Distribution[] =>
  range(size).map((answer) => localHashingRow(size, buckets, truth, MODULUS, answer));

function reportRows(law: LocalHashingLaw): readonly Distribution[] {
  const rows = firstRows(law);
  const { irr } = law;
  if (irr === undefined) return rows;
  return rows.map((row) =>
    compose(row, (symbol) => {
      const cell = localHashing.decode(law, bytesOf(symbol)).cells[0] as number;
      const stored = [Math.floor(cell / law.buckets), cell % law.buckets] as const;
      return bucketRow(cohortsOf(law), [stored], law.buckets, irr.truth, MODULUS);
    }),
  );
}

/** c a + (1 - c) b with c = (g^(k-1) - 1) / (g^k - 1). */
function statedQ({ size, buckets: g }: LocalHashingLaw, a: Rational, b: Rational): Rational {
  const k = dimension(size, g);
  const c = rational(g ** (k - 1) - 1, g ** k - 1);
  return add(multiply(c, a), multiply(subtract(ONE, c), b));
}

describe.each([1e-4, ...EPSILONS])('at ε = %d', (epsilon) => {
  test.each(SHAPES)('%i answers in %i buckets have rows that sum to 1, the stated odds, and are exactly pure', (size, buckets) => {
    const law = localHashingLaw(size, epsilon, undefined, buckets);
    localHashing.validate(law);
    const rows = firstRows(law);
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    const { report } = localHashing.odds(law);
    expect(localHashing.odds(law)).toEqual({ report: largestRatio(rows) });
    expectHeld(report, epsilon);
    expectLargest(localHashing.odds({ ...law, truth: law.truth + 1 }).report, epsilon);
    const found = supportOf(rows.map((row) => cellChances(row, supportedBy(law), size))); // one p, one q for every pair
    const [a, b] = [rational(law.truth, MODULUS), rational(MODULUS - law.truth, MODULUS * (buckets - 1))];
    expect(found).toEqual({ p: a, q: statedQ(law, a, b) });
    expectSupport(localHashing.support(law), found);
  });
});

describe.each(PERMANENT)('permanent at ε₁ = %d, ε∞ = %d', (epsilon, permanent) => {
  test.each([
    [4, 2],
    [9, 3],
    [6, 5],
    [5, 5],
    [6, 4],
  ] as const)('%i answers in %i buckets are the two stages one after the other, exactly pure', (size, buckets) => {
    const law = localHashingLaw(size, epsilon, permanent, buckets);
    localHashing.validate(law);
    const [symbols, reports] = [firstRows(law), reportRows(law)];
    for (const row of reports) expect(sum(row.values())).toEqual(ONE);
    expect(localHashing.odds(law)).toEqual({ report: largestRatio(reports), permanent: largestRatio(symbols) });
    expectHeld(localHashing.odds(law).report, epsilon);
    expectHeld(localHashing.odds(law).permanent as Rational, permanent);
    const chances = (rows: readonly Distribution[]) => supportOf(rows.map((row) => cellChances(row, supportedBy(law), size)));
    expectSupport(localHashing.support(law), chances(reports));
    expectSupport(localHashing.support(law, 'permanent'), chances(symbols));
  });
});

describe('buckets', () => {
  const idealVariance = (size: number, buckets: number, epsilon: number): number => {
    const { p, q } = subsetIdeal(buckets, 1, epsilon);
    const { collisions: c } = familyOf(size, buckets);
    return meanVariance(size, { p, q: c * p + (1 - c) * q });
  };
  const cellsOf = (size: number, buckets: number): number => familyOf(size, buckets).cohorts * buckets;
  /** Every g that has a family: d, and 4 and all primes below it. */
  const all = (size: number): readonly number[] => [...range(size).filter((g) => g === 4 || (g > 1 && isPrime(g))), size];

  test.each([2, 3, 4, 5, 16, 17, 60, 128, 1024, 2000])(
    'of %i answers have at most 3 % above the least variance of all, with the fewest cells',
    (size) => {
      for (const epsilon of [1e-4, 0.35, 0.5, 1, 1.04, 1.6, 2, 3, 4, 5, 6, 8, 16]) {
        const variances = all(size).map((g) => [g, idealVariance(size, g, epsilon)] as const);
        const least = Math.min(...variances.map(([, variance]) => variance));
        const near = (most: number): readonly number[] => variances.filter(([, variance]) => variance <= most * least).map(([g]) => g);
        const [once, permanent] = [bucketsFor(size, epsilon, false), bucketsFor(size, epsilon, true)];
        expect(near(1.03)).toContain(once);
        expect(Math.min(...near(1.03).map((g) => cellsOf(size, g)))).toBe(cellsOf(size, once));
        expect(permanent).toBe(near(1.05)[0]);
      }
    },
  );

  test('of a long permanent list are 3 at ε₁ = 1, 7 at 2 and 37 at 4', () => {
    for (const size of [1024, 10_000, 100_000]) expect([1, 2, 4].map((epsilon) => bucketsFor(size, epsilon, true))).toEqual([3, 7, 37]);
  });

  test('that are 4 or prime cost at most 3.1 % of variance, and from e^ε = 1.8 on at most 1.7 %', () => {
    const variance = (g: number, e: number): number => (e - 1 + g) ** 2 / (g - 1) / (4 * e);
    for (let e = 1.001; e < 500; e *= 1.001) {
      const best = Math.min(...range(1000).flatMap((g) => (g === 4 || (g > 1 && isPrime(g)) ? [variance(g, e)] : [])));
      expect(best).toBeLessThan(e < 1.8 ? 1.031 : 1.017);
    }
  });

  test('never make more than 2^21 cells, for 2 to 100,000 answers', () => {
    for (const size of [2, 1000, 30_000, 99_991, 100_000]) {
      for (const epsilon of [1e-4, 1, 5.7, 7, 8, 9, 10, 16]) {
        for (const permanent of [undefined, epsilon]) {
          const law = localHashingLaw(size, epsilon, permanent);
          localHashing.validate(law);
          expect(cellsOf(size, law.buckets)).toBeLessThanOrEqual(2 ** 21);
        }
      }
    }
  });

  test.each([0, 1, 1.5, 6, 8, 9, 11, Number.NaN])('that are neither 4 nor a prime below ten answers nor ten are refused: %d', (buckets) => {
    expect(() => localHashingLaw(10, 1, undefined, buckets)).toThrow('local-hashing: expected as many buckets');
    expect(() => localHashing.validate({ mechanism: 'local-hashing', size: 10, buckets, truth: 2 ** 31 })).toThrow(
      'local-hashing: expected as many buckets',
    );
  });

  test('with a family of too many cells are refused', () => {
    expect(() => localHashingLaw(100_000, 1, undefined, 313)).toThrow(/2097152 cells/);
    expect(() => localHashingLaw(100_000, 9, undefined, 8101)).toThrow('local-hashing: expected as many buckets');
  });

  test('at an ε that 32 bits cannot hold are refused', () => {
    for (const epsilon of [1e-10, 40, 64, 700]) expect(() => localHashingLaw(10, epsilon), String(epsilon)).toThrow(RangeError);
  });
});

describe('a report', () => {
  const law = localHashingLaw(289, 1, undefined, 17); // 18 cohorts of 17 buckets
  const wide = localHashingLaw(100_000, 5.7); // 318 of 317

  test('is a cohort and a bucket as one number, and a cell of one tally', () => {
    expect(localHashing.shape(law)).toEqual({ cohorts: 1, cells: 18 * 17, form: 'symbol', runs: 18 });
    expect(localHashing.decode(law, Uint8Array.of(1, 49))).toEqual({ cohort: 0, cells: [305] });
    expect(localHashing.decode(wide, Uint8Array.of(1, 137, 197))).toEqual({ cohort: 0, cells: [318 * 317 - 1] });
  });

  test('of a cohort that there is not is refused', () => {
    expect(() => localHashing.decode(law, Uint8Array.of(1, 50))).toThrow(/answer below 306, got 306/);
    expect(() => localHashing.decode(wide, Uint8Array.of(1, 137, 198))).toThrow(/answer below 100806/);
  });

  test('of another length is refused', () => {
    for (const bytes of [[], [0], [0, 0, 0]]) expect(() => localHashing.decode(law, Uint8Array.from(bytes))).toThrow(/2 bytes/);
    const single = localHashingLaw(5, 3); // one cohort
    expect(localHashing.decode(single, Uint8Array.of(4))).toEqual({ cohort: 0, cells: [4] });
    expect(() => localHashing.decode(single, Uint8Array.of(0, 4))).toThrow(/1 bytes/);
  });
});

test.each([
  [1000, 7],
  [300, 17],
  [290, 17],
  [1024, 2],
  [1025, 2],
  [700, 3],
  [40, 37],
  [25, 25],
  [300, 4],
])('the transform of %i answers in %i buckets is the sum by the definition, exactly', (size, buckets) => {
  const law = localHashingLaw(size, 1, undefined, buckets);
  const coins = createCoins(words(seededRng(size)));
  const cells = Float64Array.from({ length: localHashing.shape(law).cells }, () => coins.uniform(1000));
  // Every third cohort has no reports.
  cells.forEach((_, cell) => {
    if (Math.floor(cell / buckets) % 3 === 2) cells[cell] = 0;
  });
  const tallies = new Map([[0, { reports: 1000 * cells.length, cells }]]);
  expect(supportsOf(law, tallies).cells).toEqual(addSupports(law, tallies));
});
