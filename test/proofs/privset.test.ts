/** Proofs of padded sets: the law over 2^32, the shipped code over all coins, its estimator, and the chooser's reasons. */

import { fullSetVariance, MODULUS, meanVariance, type PrivSetLaw, privSet, privSetLaw, setLaw, subsetIdeal } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { type Coins, createCoins } from '#client/random/coins.ts';
import { randomizePrivSet } from '#client/randomizers/privset.ts';
import { pureEstimates } from '#collector/estimation/pure.ts';
import { EPSILONS, expectHeld, expectLargest } from './asked.ts';
import { bitsReport, choose, distribution, indexReport, largestRatio, range, subsetsOf } from './channel.ts';
import { collect, type Distribution, exactDistribution, hex, ways } from './enumerate.ts';
import { add, divide, multiply, ONE, type Rational, rational, relativeError, subtract, sum, toNumber, ZERO } from './rational.ts';

/** [d, L, m] */
const SHAPES = [
  [2, 1, 1],
  [2, 2, 1],
  [3, 1, 2],
  [3, 2, 1],
  [3, 2, 2],
  [4, 2, 3],
  [4, 3, 2],
  [5, 2, 2],
] as const;

const setsOf = (size: number): readonly (readonly number[])[] => range(size + 1).flatMap((count) => subsetsOf(size, count));

/** The sets that a device may pad to: one, or all samples of a set that is too large. */
const paddings = ({ size, atMost }: PrivSetLaw, set: readonly number[]): readonly (readonly number[])[] =>
  set.length <= atMost
    ? [[...set, ...range(atMost - set.length).map((j) => size + j)]]
    : subsetsOf(set.length, atMost).map((places) => places.map((place) => set[place] as number));

function rowOf(law: PrivSetLaw, set: readonly number[], T: number): Distribution {
  const { size, atMost, subset, hit } = law;
  const all = size + atMost;
  const miss = choose(size, subset);
  const meet = choose(all, subset) - miss;
  const padded = paddings(law, set);
  return distribution(
    padded.flatMap((members) =>
      subsetsOf(all, subset).map((report) => {
        const meets = report.some((one) => members.includes(one));
        const [chance, ways] = meets ? [hit, meet] : [T - hit, miss];
        return [
          subset > 1 ? bitsReport(report, all) : indexReport(report[0] as number, all),
          rational(BigInt(chance), BigInt(T) * ways * BigInt(padded.length)),
        ] as const;
      }),
    ),
  );
}

const rowsOf = (law: PrivSetLaw): readonly Distribution[] => setsOf(law.size).map((set) => rowOf(law, set, MODULUS));

const chanceOf = (law: PrivSetLaw, row: Distribution, cell: number): Rational =>
  sum([...row].filter(([report]) => privSet.decode(law, Buffer.from(report, 'hex')).cells.includes(cell)).map(([, p]) => p));

describe.each(EPSILONS)('sets at ε = %d', (epsilon) => {
  test.each(SHAPES)(
    'of %i answers, at most %i, subsets of %i: rows sum to 1, the stated odds are their largest ratio',
    (size, atMost, m) => {
      const law = privSetLaw(size, atMost, m, epsilon);
      privSet.validate(law);
      const rows = rowsOf(law);
      for (const row of rows) expect(sum(row.values())).toEqual(ONE);
      const { report } = privSet.odds(law);
      expect(report).toEqual(largestRatio(rows));
      expectHeld(report, epsilon);
      const missed = choose(size, m);
      const met = choose(size + atMost, m) - missed;
      // The bound is kept to 2^-40.
      const next = divide(rational(BigInt(law.hit + 1) * missed), rational(BigInt(MODULUS - law.hit - 1) * met));
      expectLargest(multiply(next, rational(2 ** 40 + 2, 2 ** 40)), epsilon);
    },
  );

  test.each(SHAPES)(
    'of %i answers, at most %i, subsets of %i: unbiased within the limit, L/l above it, with the stated variance',
    (size, atMost, m) => {
      const law = privSetLaw(size, atMost, m, epsilon);
      const stated = privSet.support(law);
      const [full = [], empty = []] = [subsetsOf(size, atMost)[0], []];
      const p = chanceOf(law, rowOf(law, full, MODULUS), full[0] as number);
      const q = chanceOf(law, rowOf(law, empty, MODULUS), 0);
      expect(relativeError(stated.p, p)).toBeLessThan(2 ** -50);
      expect(relativeError(stated.q, q)).toBeLessThan(2 ** -50);
      for (const set of setsOf(size)) {
        const row = rowOf(law, set, MODULUS);
        range(size + atMost).forEach((cell) => {
          const chance = chanceOf(law, row, cell);
          const mean = divide(subtract(chance, q), subtract(p, q));
          const isIn = cell < size ? set.includes(cell) : cell - size < atMost - set.length;
          expect(mean).toEqual(isIn ? rational(atMost, Math.max(atMost, set.length)) : ZERO);
          if (set.length <= atMost) expect(chance).toEqual(isIn ? p : q);
        });
      }
      // Of one report the estimate is one of two numbers, so its mean and variance are those of the chances above.
      const said = pureEstimates({ reports: 1, cells: Float64Array.of(0, 1) }, stated, stated, 1).map(({ estimate }) => estimate);
      const gain = subtract(p, q);
      expect(said[0]).toBeCloseTo(toNumber(divide(subtract(ZERO, q), gain)), 6);
      expect((said[1] as number) * toNumber(gain)).toBeCloseTo(toNumber(subtract(ONE, q)), 12);
    },
  );

  test('of many answers spend at most ε, and at least 0.9 of it', () => {
    for (const [size, atMost] of [
      [16, 3],
      [100, 10],
      [1024, 5],
      [1024, 64],
    ] as const) {
      if (epsilon === 0.01 && size === 1024) continue;
      const law = setLaw(size, atMost, epsilon);
      privSet.validate(law);
      expectHeld(privSet.odds(law).report, epsilon);
    }
  });
});

test('subsets of one are padding and sampling by a k-ary response of e^ε′ = 1 + L (e^ε - 1), whose amplification they have', () => {
  for (const [size, atMost] of [
    [3, 2],
    [7, 5],
    [20, 4],
  ] as const) {
    const law = privSetLaw(size, atMost, 1, 1);
    const of = (cells: bigint): Rational => rational(1n, cells);
    const member = multiply(rational(law.hit, MODULUS), of(BigInt(atMost)));
    const other = multiply(rational(MODULUS - law.hit, MODULUS), of(BigInt(size)));
    const truth = subtract(multiply(rational(atMost), member), multiply(rational(atMost - 1), other));
    expect(add(truth, multiply(rational(size + atMost - 1), other))).toEqual(ONE);
    expect(divide(truth, other)).toEqual(add(ONE, multiply(rational(atMost), subtract(privSet.odds(law).report, ONE))));
  }
});

test('the chosen subsets have the least variance, or are single ones within 3 % of it', () => {
  for (const [size, atMost, epsilon] of [
    [5, 2, 0.5],
    [30, 3, 1],
    [100, 5, 2],
    [200, 10, 1],
    [50, 1, 4],
  ] as const) {
    const varianceOf = (m: number): number => fullSetVariance(size, atMost, privSet.support(privSetLaw(size, atMost, m, epsilon)));
    const least = Math.min(...range(Math.ceil(size / 2)).map((m) => varianceOf(m + 1)));
    const { subset } = setLaw(size, atMost, epsilon);
    expect(varianceOf(subset) / least).toBeLessThan(subset === 1 ? 1.0301 : 1 + 1e-6);
  }
});

test('the chosen law never errs more than the sampling of one element before the best law of a list', () => {
  for (const size of [5, 20, 200, 1000]) {
    for (const atMost of [1, 2, 5, 20].filter((most) => most <= size)) {
      for (const epsilon of [0.5, 1, 2, 4]) {
        const chosen = fullSetVariance(size, atMost, privSet.support(setLaw(size, atMost, epsilon)));
        for (const m of range(size).map((i) => i + 1)) {
          const { p, q } = subsetIdeal(size + 1, m, epsilon); // one dummy: no oracle has fewer
          const sampled = fullSetVariance(size, atMost, { p: q + (p - q) / atMost, q });
          expect(chosen / sampled).toBeLessThan(1.0301);
        }
      }
    }
  }
  const { p, q } = subsetIdeal(1001, 269, 1);
  const sampled = fullSetVariance(1000, 5, { p: q + (p - q) / 5, q });
  expect(sampled / fullSetVariance(1000, 5, privSet.support(setLaw(1000, 5, 1)))).toBeCloseTo(4.47, 1);
  expect(fullSetVariance(1001, 1, subsetIdeal(1001, 269, 1))).toBeCloseTo(meanVariance(1001, subsetIdeal(1001, 269, 1)), 12);
});

test('what 32 bits cannot hold, and integers that are no law, are refused', () => {
  for (const epsilon of [1e-11, 40, 64, 700, 720, 1e3, 1e300])
    expect(() => privSetLaw(4, 2, 1, epsilon), String(epsilon)).toThrow(RangeError);
  const law = privSetLaw(4, 2, 2, 1);
  for (const wrong of [
    { size: 1 },
    { atMost: 0 },
    { atMost: 5 },
    { atMost: 1.5 },
    { subset: 0 },
    { subset: 5 },
    { hit: 0 },
    { hit: MODULUS },
    { hit: 1 },
  ]) {
    expect(() => privSet.validate({ ...law, ...wrong }), JSON.stringify(wrong)).toThrow(RangeError);
  }
});

test('the word hit - 1 meets the set and the word hit misses it', () => {
  for (const [size, atMost, m] of SHAPES) {
    const law = privSetLaw(size, atMost, m, 1);
    const meets = (word: number, set: readonly number[]): boolean => {
      const script = [word];
      const report = randomizePrivSet(
        law,
        set,
        createCoins(() => script.shift() ?? 0),
      );
      const [padded = []] = paddings(law, set);
      return privSet.decode(law, report).cells.some((cell) => padded.includes(cell));
    };
    for (const set of setsOf(size).filter(({ length }) => length <= atMost)) {
      expect([meets(law.hit - 1, set), meets(law.hit, set)]).toEqual([true, false]);
    }
  }
});

/** A draw that is not kept only asks for another: such a branch is left out, and what is kept is made up to the whole. */
class Again extends Error {}

/** The shipped randomizer; where the first subset that it draws to meet the set is not kept, the empty report. */
function once(law: PrivSetLaw, set: readonly number[], coins: Coins): Uint8Array {
  const { size, atMost, subset } = law;
  let dice = 0;
  const counted: Coins = {
    flip: coins.flip,
    uniform: (n) => {
      // Those of the sample, the m of the subset that misses, a member and the m - 1 others.
      if (dice++ === size - atMost + 2 * subset) throw new Again();
      return coins.uniform(n);
    },
  };
  try {
    return randomizePrivSet(law, set, counted);
  } catch (error) {
    if (error instanceof Again) return new Uint8Array();
    throw error;
  }
}

/** Given that the first is kept. The next is drawn as the first was, so it adds nothing else. */
function shipped(law: PrivSetLaw, set: readonly number[], T: number): Distribution {
  const all = exactDistribution((coins) => once(law, set, coins), T);
  const whole = divide(ONE, subtract(ONE, all.get('') ?? ZERO));
  return distribution([...all].filter(([report]) => report !== '').map(([report, p]) => [report, multiply(p, whole)] as const));
}

describe('over all strings of words, the shipped randomizer', () => {
  const lawOf = (size: number, atMost: number, subset: number, hit: number): PrivSetLaw => ({
    mechanism: 'privset',
    size,
    atMost,
    subset,
    hit,
  });
  test.each(SHAPES)('has exactly the channel, of %i answers, at most %i, subsets of %i', (size, atMost, m) => {
    const law = lawOf(size, atMost, m, 3);
    for (const set of setsOf(size).filter(({ length }) => length <= atMost)) {
      expect(shipped(law, set, 8)).toEqual(rowOf(law, set, 8));
    }
  });

  test.each(SHAPES.filter(([size]) => size < 5))(
    'of %i answers, at most %i, subsets of %i, draws the same coins and dice for every set',
    (size, atMost, m) => {
      const law = lawOf(size, atMost, m, 5);
      const all = choose(size + atMost, m);
      const meet = all - choose(size, m);
      // A member is drawn with m - 1 of the others, and of the pairs that are drawn so each subset is kept with one member alone.
      const again = subtract(ONE, rational(meet, BigInt(atMost) * choose(size + atMost - 1, m - 1)));
      const seen = new Set<string>();
      for (const set of setsOf(size)) {
        const { add: count, distribution: counted } = collect();
        for (const { coins, branch } of ways(8)) {
          const report = hex(once(law, set, coins));
          count(report, branch());
          if (report !== '') seen.add(branch().draws.join());
        }
        expect(counted().get('') ?? ZERO).toEqual(again);
      }
      expect(seen.size).toBe(1);
    },
  );

  test('takes members in any order', () => {
    const law = lawOf(4, 2, 2, 5);
    expect(shipped(law, [3, 1], 8)).toEqual(rowOf(law, [1, 3], 8));
  });

  test('samples a set over its limit uniformly', () => {
    for (const set of [
      [0, 1, 3],
      [2, 1, 0, 3],
    ]) {
      for (const law of [lawOf(4, 2, 1, 5), lawOf(4, 2, 2, 5)]) expect(shipped(law, set, 8)).toEqual(rowOf(law, set, 8));
    }
  });
});

test('reports are taken in their one form', () => {
  for (const law of [privSetLaw(5, 2, 1, 1), privSetLaw(5, 2, 3, 1)]) {
    const good = randomizePrivSet(
      law,
      [0],
      createCoins(() => 0),
    );
    expect(good).toHaveLength(privSet.reportBytes(law));
    const size = law.size + law.atMost;
    const bad = law.subset === 1 ? [Uint8Array.of(size)] : [Uint8Array.of(0b11), Uint8Array.of(0b1111), Uint8Array.of(0b10000011)];
    for (const bytes of [new Uint8Array(), Uint8Array.of(...good, 0), ...bad])
      expect(() => privSet.decode(law, bytes), hex(bytes)).toThrow(RangeError);
  }
});
