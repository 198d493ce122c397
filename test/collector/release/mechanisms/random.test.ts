/** The draws of the release mechanisms: uniform numbers, coins and e^-x, against their definitions. */

import { seededRng, words } from '@murmuration/client/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createRandom, decayBy, type Random, systemRandom, type Whole } from '#collector/release/mechanisms/random.ts';
import { add, multiply, ONE, type Rational, rational, subtract, toNumber, ZERO } from '../../../proofs/rational.ts';
import { decayed, minus, signOf, term } from './exponential-sums.ts';

/** Decisions from these words, then from zeros. */
function scripted(...script: readonly number[]): { readonly random: Random; readonly used: () => number } {
  let used = 0;
  return { random: createRandom(() => script[used++] ?? 0), used: () => used };
}

test('a uniform number is below n, each as often, and a rejected word only asks for the next one', () => {
  for (const n of [2, 3, 5, 8, 100, 255]) {
    const counts = new Map<number, number>();
    for (let word = 0; word < 256; word++) {
      const { random, used } = scripted(word, 0);
      const drawn = random.uniform(n);
      if (used() === 1) counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
      else expect([drawn, used()]).toEqual([0, 2]);
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    expect(new Set(counts.values()).size).toBe(1);
  }
});

test('a uniform number of more than 32 bits comes from two words', () => {
  expect(scripted(1, 5).random.uniform(2 ** 40)).toBe(2 ** 32 + 5);
  expect(scripted(0xffffffff, 0xffffffff).random.uniform(2 ** 53)).toBe(2 ** 53 - 1);
  expect(scripted(0xffffffff, 0xffffffff).random.uniform(2 ** 32)).toBe(2 ** 32 - 1);
  for (const n of [0, 1.5, -1, 2 ** 54, Number.NaN])
    expect(() => scripted().random.uniform(n)).toThrow('uniform: expected a whole number from');
});

test('a coin compares the binary digits of its words with the fraction, for numbers and large integers', () => {
  const near = fc.tuple(fc.integer({ min: 1, max: 2 ** 26 }), fc.integer({ min: 0, max: 2 ** 26 }), fc.integer({ min: -2, max: 2 }));
  fc.assert(
    fc.property(near, fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 3, maxLength: 3 }), ([q, part, off], rest) => {
      const p = Math.min(part, q);
      const digits = (BigInt(p) << 26n) / BigInt(q) + BigInt(off);
      fc.pre(digits >= 0n && digits < 1n << 26n);
      const script = [Number(digits) * 64, ...rest];
      const drawn = script.reduce((sum, word) => (sum << 26n) | BigInt(word >>> 6), 0n);
      expect(scripted(...script).random.flip(p, q)).toBe(drawn * BigInt(q) < BigInt(p) << BigInt(26 * script.length));
      const whole = script.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
      expect(scripted(...script).random.flip(BigInt(p), BigInt(q))).toBe(whole * BigInt(q) < BigInt(p) << BigInt(32 * script.length));
    }),
    { seed: 7, numRuns: 2000 },
  );
});

/** What `decay` does with coins that fall all ways, up to so many: the probability that it is true, and that it is still open. */
function decayLaw(numerator: Whole, denominator: Whole, most: number): readonly [yes: Rational, open: Rational] {
  let [yes, open] = [ZERO, ZERO];
  const OPEN = Symbol('open');
  const explore = (fallen: readonly boolean[]): void => {
    let [at, weight] = [0, ONE];
    const decay = decayBy((p, q) => {
      const chance = rational(p, q);
      if (at === fallen.length) throw fallen.length === most ? OPEN : chance;
      const way = fallen[at++] as boolean;
      weight = multiply(weight, way ? chance : subtract(ONE, chance));
      return way;
    });
    try {
      if (decay(numerator, denominator)) yes = add(yes, weight);
    } catch (stopped) {
      if (stopped === OPEN) open = add(open, weight);
      else {
        const chance = stopped as Rational;
        // A coin that can fall only one way has no other branch.
        if (chance.numerator !== 0n) explore([...fallen, true]);
        if (chance.numerator !== chance.denominator) explore([...fallen, false]);
      }
    }
  };
  explore([]);
  return [yes, open];
}

test('decay is true with probability e^-x', () => {
  for (const [numerator, denominator, most] of [
    [0, 1, 40],
    [1, 1, 40],
    [1, 3, 40],
    [7, 8, 40],
    [5, 2, 24],
    [3n, 2n, 30],
    [2n ** 40n + 1n, 2n ** 41n, 40],
  ] as const) {
    const [yes, open] = decayLaw(numerator, denominator, most);
    expect(signOf(minus(decayed(numerator, denominator), term(yes)))).toBeGreaterThanOrEqual(0);
    expect(signOf(minus(term(add(yes, open)), decayed(numerator, denominator)))).toBeGreaterThanOrEqual(0);
    expect(toNumber(open)).toBeLessThan(1e-9);
  }
  expect(() => scripted().random.decay(-1, 1)).toThrow('decay: expected a rational of at least');
  expect(() => scripted().random.decay(1, 0)).toThrow('decay: expected a rational of at least');
});

test('numbers and large integers decide alike from the same digits, and the system gives words', () => {
  const [a, b] = [createRandom(words(seededRng(3))), createRandom(words(seededRng(3)))];
  let [small, large] = [0, 0];
  for (let i = 0; i < 20_000; i++) {
    small += Number(a.decay(2, 3));
    large += Number(b.decay(2n, 3n));
  }
  // Four deviations of a binomial count, three times over; the seed is fixed.
  expect(Math.abs(small - 20_000 * Math.exp(-2 / 3))).toBeLessThan(350);
  expect(Math.abs(large - 20_000 * Math.exp(-2 / 3))).toBeLessThan(350);
  const random = systemRandom();
  expect(new Set(Array.from({ length: 100 }, () => random.uniform(2 ** 53))).size).toBe(100);
});

test('no word outlives the task that it was drawn in, which a copy of the running machine would use again', async () => {
  const fills = vi.spyOn(crypto, 'getRandomValues');
  const random = systemRandom();
  random.uniform(5);
  random.uniform(5);
  expect(fills).toHaveBeenCalledTimes(1);
  await Promise.resolve();
  random.uniform(5);
  expect(fills).toHaveBeenCalledTimes(2);
  fills.mockRestore();
});

test('a system source that is broken gives no noise: one that stands still, that fills a part, or that repeats its last words', () => {
  const last = new Uint8Array(2 ** 16);
  const broken: readonly ((bytes: Uint8Array) => void)[] = [
    (bytes) => void bytes.fill(7),
    (bytes) => void bytes.subarray(0, bytes.length / 2).set(last.map((_, i) => (i * 31) % 251).subarray(0, bytes.length / 2)),
    (bytes) => void bytes.set(last.map((_, i) => (i * i) % 251).subarray(0, bytes.length)),
  ];
  for (const fill of broken) {
    const source = vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
      fill(bytes as unknown as Uint8Array);
      return bytes;
    });
    const random = systemRandom();
    expect(() => {
      for (let i = 0; i < 1_000; i++) random.flip(1, 2);
    }).toThrow('rng: expected random bytes');
    source.mockRestore();
  }
});
