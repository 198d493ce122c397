/** Proofs of RAPPOR beyond those of the conformance suite: the law at every ε, several hashes and cohorts, an expert's integers. */

import { type BitStage, bloomBits, expertRapporLaw, hashString, MODULUS, type RapporLaw, rappor, rapporLaw } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCoins } from '#client/random/coins.ts';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeRappor } from '#client/randomizers/rappor.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { bitsReport, bitsRow, compose, distribution, largestRatio, range, subsetsOf } from './channel.ts';
import { type Distribution, exactDistribution } from './enumerate.ts';
import { expectSupport, statedVariance, supportOf } from './estimator.ts';
import { enclosedExponential } from './exponential.ts';
import { exactly, less, multiply, ONE, type Rational, rational, subtract, sum, ZERO } from './rational.ts';

type Small = Partial<Pick<RapporLaw, 'bits' | 'hashes' | 'cohorts'>>;

const bytesOf = (report: string): Uint8Array => Uint8Array.from(Buffer.from(report, 'hex'));
const cellsOf = (law: RapporLaw) => (report: string) => rappor.decode(law, bytesOf(report)).cells;
const bitOf = (threshold: number, T: number): Rational => rational(threshold, T);

/** A set of bits through a stage. */
const stageRow = (bits: number, { one, zero }: BitStage, T: number, set: readonly number[], cohort?: number): Distribution =>
  bitsRow(bits, bitOf(one, T), bitOf(zero, T), set, cohort);

/** A set of bits through both stages, in a law of one cohort. */
function bothRows(law: RapporLaw, sets: readonly (readonly number[])[]): readonly Distribution[] {
  const { bits, irr } = law;
  const first = sets.map((set) => stageRow(bits, law, MODULUS, set));
  return irr === undefined ? first : first.map((row) => compose(row, (symbol) => stageRow(bits, irr, MODULUS, cellsOf(law)(symbol))));
}

/** Every filter that h hashes can give: 1 to h of k bits. */
const filtersOf = ({ bits, hashes }: RapporLaw): readonly (readonly number[])[] =>
  range(hashes).flatMap((extra) => subsetsOf(bits, extra + 1));

const SHAPES: readonly Required<Small>[] = [
  { bits: 4, hashes: 2, cohorts: 1 },
  { bits: 5, hashes: 2, cohorts: 1 },
];

/** e^ε of one bit pair, from the first stage's thresholds alone: (T - zero) / zero where `one` is a half. */
const halfOdds = (zero: number): Rational => rational(MODULUS - zero, zero);

describe.each(EPSILONS)('RAPPOR at ε = %d', (epsilon) => {
  test('spends at most ε, and as much as integers can', () => {
    const law = rapporLaw(epsilon, 100_000);
    rappor.validate(law);
    expect(law.one).toBe(MODULUS / 2);
    expect(rappor.odds(law)).toEqual({ report: halfOdds(law.zero) });
    expectHeld(halfOdds(law.zero), epsilon);
    expectLargest(halfOdds(law.zero - 1), epsilon);
  });

  test('collisions of strings that are not clear add at most a tenth, or there are 65,536 cohorts', () => {
    for (const devices of [1, 1000, 100_000, 1e9]) {
      const { bits, cohorts } = rapporLaw(epsilon, devices);
      const coins = (4 * Math.exp(epsilon)) / (Math.exp(epsilon) - 1) ** 2 / devices;
      // As many strings of three standard errors as there can be.
      const tenth = (m: number): boolean => (3 * Math.sqrt(coins)) / (m * bits) <= 0.1 * coins * (1 + 1e-9);
      expect(tenth(cohorts) || cohorts === 65_536).toBe(true);
      if (cohorts > 1) expect(tenth(cohorts / 2)).toBe(false);
    }
  });

  test.each(SHAPES)('over $bits bits with $hashes hashes has the stated odds as the largest ratio of all filters', (shape) => {
    const law: RapporLaw = { ...rapporLaw(epsilon, 1), ...shape };
    const rows = bothRows(law, filtersOf(law));
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    expect(rappor.odds(law)).toEqual({ report: largestRatio(rows) });
  });
});

describe.each(PERMANENT)('permanent RAPPOR at ε₁ = %d, ε∞ = %d', (epsilon, permanent) => {
  test.each(SHAPES.slice(0, 1))('over $bits bits with $hashes hashes is the two stages one after the other', (shape) => {
    const law: RapporLaw = { ...rapporLaw(epsilon, 1, permanent), ...shape };
    const { irr: _irr, ...first } = law;
    const filters = filtersOf(law);
    const rows = bothRows(law, filters);
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    expect(rappor.odds(law)).toEqual({ report: largestRatio(rows), permanent: largestRatio(bothRows(first, filters)) });
  });

  test('spends at most what was asked, and as much as integers can', () => {
    const law = rapporLaw(epsilon, 100_000, permanent);
    rappor.validate(law);
    const odds = rappor.odds(law);
    expectHeld(odds.report, epsilon);
    expect(odds.permanent).toEqual(halfOdds(rapporLaw(permanent, 1).zero));
    expectHeld(odds.permanent as Rational, permanent);
    const flip = (law.irr?.zero as number) - 1;
    if (flip >= 0) expectLargest(rappor.odds({ ...law, irr: { one: MODULUS - flip, zero: flip } }).report, epsilon);
    else expect(epsilon).toBe(permanent);
  });

  test('supports bits with the stated probabilities, and is optimized unary encoding of them', () => {
    const law: RapporLaw = { ...rapporLaw(epsilon, 1, permanent), bits: 2, cohorts: 1 };
    const chance = (row: Distribution, bit: number): Rational =>
      sum([...row].filter(([report]) => cellsOf(law)(report).includes(bit)).map(([, weight]) => weight));
    const support = supportOf(bothRows(law, [[0], [1]]).map((row) => [chance(row, 0), chance(row, 1)]));
    expectSupport(rappor.support(law), support);
    const { irr: _irr, ...first } = law;
    expectSupport(rappor.support(law, 'permanent'), supportOf(bothRows(first, [[0], [1]]).map((row) => [chance(row, 0), chance(row, 1)])));
    const { numerator: e, denominator: d } = rappor.odds(law).report;
    // 4 e^ε / (e^ε - 1)², with e^ε = e / d, of a rare string.
    expect(statedVariance(support.p, support.q, ZERO, ONE)).toEqual(rational(4n * e * d, (e - d) ** 2n));
  });
});

test('RAPPOR that 32 bits cannot hold is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 710, 720, 800, 1e3, 1e300]) {
    expect(() => rapporLaw(epsilon, 1), String(epsilon)).toThrow(RangeError);
    expect(() => rapporLaw(epsilon, 1, epsilon), String(epsilon)).toThrow(RangeError);
  }
});

describe("an expert's integers", () => {
  /** A threshold near either end or anywhere: there the probabilities of 0 or of 1 have few digits. */
  const threshold = fc.oneof(
    fc.integer({ min: 1, max: 4096 }),
    fc.integer({ min: 1, max: MODULUS - 1 }),
    fc.integer({ min: MODULUS - 4096, max: MODULUS - 1 }),
  );
  const stage = fc
    .tuple(threshold, threshold)
    .filter(([a, b]) => a !== b)
    .map(([a, b]): BitStage => ({ one: Math.max(a, b), zero: Math.min(a, b) }));
  const law = fc
    .record({ first: stage, irr: fc.option(stage, { nil: undefined }), hashes: fc.integer({ min: 1, max: 16 }) })
    .map(({ first, irr, hashes }): RapporLaw => ({ mechanism: 'rappor', bits: 32, hashes, cohorts: 1, ...first, ...(irr && { irr }) }));
  const accepted = (of: RapporLaw, epsilon: number, permanent?: number): boolean => {
    try {
      expertRapporLaw(of, epsilon, permanent);
      return true;
    } catch {
      return false;
    }
  };
  /** The least ε below 64 that is accepted. */
  const leastAccepted = (accepts: (epsilon: number) => boolean): number => {
    let [low, high] = [0, 64];
    for (let i = 0; i < 64; i++) {
      const middle = (low + high) / 2;
      if (accepts(middle)) high = middle;
      else low = middle;
    }
    return high;
  };

  test('are accepted only when their exact odds are at most what is asked, and when they are clearly less', () => {
    fc.assert(
      fc.property(law, (of) => {
        const odds = rappor.odds(of);
        const permanent = of.irr && 1000; // exp gives Infinity there: no first stage is over it
        for (const [exact, accepts] of [
          [odds.report, (epsilon: number) => accepted(of, epsilon, permanent)],
          [odds.permanent ?? odds.report, (epsilon: number) => accepted(of, of.irr ? 1000 : epsilon, of.irr && epsilon)],
        ] as const) {
          const least = leastAccepted(accepts);
          if (least >= 64) continue;
          expect(less(exact, enclosedExponential(exactly(least))[0])).toBe(true);
          expect(less(exact, enclosedExponential(exactly(Math.max(0, least - 1e-12)))[0])).toBe(false);
        }
      }),
      { numRuns: 150, seed: 1 },
    );
  });
});

describe('at its thresholds', () => {
  const value = 'https://example.com/';
  const laws = PERMANENT.filter(([epsilon, permanent]) => epsilon < permanent).map(([epsilon, permanent]) =>
    rapporLaw(epsilon, 100_000, permanent),
  );

  /** Coins that give this word for one bit of a report, after the words before all bits, and 0 of another bit. */
  const wordFor = (bit: number, word: number, before: readonly number[]) => {
    let at = -before.length;
    return createCoins(() => {
      const next = at < 0 ? (before[before.length + at] as number) : at === bit ? word : MODULUS - 1;
      at++;
      return next;
    });
  };

  test('the words irr.one - 1 and irr.one of a stored 1 decide differently, and irr.zero - 1 and irr.zero of a stored 0', () => {
    for (const law of laws) {
      const { one, zero } = law.irr as BitStage;
      const symbol = randomizeRappor(
        law,
        value,
        createCoins(() => 0),
      ); // all bits are one
      const blank = randomizeRappor(
        law,
        value,
        createCoins(() => MODULUS - 1),
      ); // no bit is
      for (const [stored, threshold] of [
        [symbol, one],
        [blank, zero],
      ] as const) {
        const cells = (word: number) => rappor.decode(law, respondBits(law, stored, wordFor(77, word, []))).cells;
        expect(cells(threshold - 1)).toEqual([77]);
        expect(cells(threshold)).toEqual([]);
      }
    }
  });
});

describe('over all strings of words, the shipped RAPPOR', () => {
  const STRINGS = ['', 'a', 'b', 'Vögel', 'x'.repeat(300)];
  const small = (shape: Small, first: BitStage, irr?: BitStage): RapporLaw => ({
    mechanism: 'rappor',
    bits: 2,
    hashes: 1,
    cohorts: 1,
    ...first,
    ...shape,
    ...(irr && { irr }),
  });

  /** The row of a string: each cohort is as likely as another, and comes first where there are several. */
  const rowOf = (law: RapporLaw, value: string, T: number): Distribution =>
    distribution(
      range(law.cohorts).flatMap((cohort) =>
        [
          ...stageRow(law.bits, law, T, bloomBits(hashString(value), cohort, law.hashes, law.bits), law.cohorts > 1 ? cohort : undefined),
        ].map(([report, p]) => [report, multiply(p, rational(1, law.cohorts))] as const),
      ),
    );
  const expectExhausted = (law: RapporLaw, value: string, T: number): void =>
    expect(exactDistribution((coins) => randomizeRappor(law, value, coins), T)).toEqual(rowOf(law, value, T));

  test.each([1, 2, 4])('has exactly the channel of each string, in %i cohorts', (cohorts) => {
    for (const value of STRINGS) {
      expectExhausted(small({ cohorts }, { one: 8, zero: 3 }), value, 16);
      expectExhausted(small({ cohorts, bits: 3 }, { one: 7, zero: 2 }), value, 8);
      expectExhausted(small({ cohorts, bits: 4, hashes: 2 }, { one: 5, zero: 1 }), value, 8);
    }
  });

  test('has exactly the channel of derived laws, over three bits and two cohorts', () => {
    expectExhausted({ ...rapporLaw(1.5, 1, undefined, 16), bits: 3, cohorts: 2 }, 'b', 16);
    expectExhausted({ ...rapporLaw(1, 1, undefined, 32), bits: 2, cohorts: 2 }, 'b', 32);
    expectExhausted({ ...rapporLaw(2, 1, undefined, 64), bits: 2, cohorts: 1 }, 'b', 64);
  });

  test('answers every stored symbol by exactly the channel of the second stage', () => {
    for (const [shape, T] of [
      [{ bits: 2, cohorts: 4 }, 16],
      [{ bits: 3, cohorts: 2 }, 16],
      [{ bits: 4, cohorts: 1 }, 8],
    ] as const) {
      for (const irr of [
        { one: T - 1, zero: 1 },
        { one: T, zero: 0 },
        { one: T - 3, zero: 2 },
      ]) {
        const law = small(shape, { one: T / 2, zero: 1 }, irr);
        for (const set of range(law.bits + 1).flatMap((count) => subsetsOf(law.bits, count))) {
          const cohort = law.cohorts > 1 ? law.cohorts - 1 : undefined;
          const symbol = bytesOf(bitsReport(set, law.bits, cohort));
          expect(exactDistribution((coins) => respondBits(law, symbol, coins), T)).toEqual(stageRow(law.bits, irr, T, set, cohort));
        }
      }
    }
  });

  test('loses exactly its stated odds between the worst two of many strings', () => {
    const law = small({ bits: 4, hashes: 2, cohorts: 2 }, { one: MODULUS / 2, zero: MODULUS / 8 });
    const rows = range(40).map((i) => rowOf(law, `string ${i}`, MODULUS));
    expect(largestRatio(rows)).toEqual(rappor.odds(law).report);
    for (const row of rows) expect(subtract(sum(row.values()), ONE)).toEqual(ZERO);
  });
});
