/** Proofs of the arithmetic that ε is stated with: the exponential from below, the logarithm from above. */

import { seededRng, words } from '@murmuration/client/testing';
import { exp, expBelow, kAry, lnUp, permanentKAryLaw, type Ratio, rappor, rapporLaw, ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { enclosedExponential } from './exponential.ts';
import { exactly, less, multiply, ONE, rational, relativeError, subtract } from './rational.ts';

const T = 2n ** 32n;

describe('the high-precision exponential', () => {
  test('has the known digits of e, of e^10 and of the square root of e', () => {
    const digits = (x: number): string => {
      const [below, above] = enclosedExponential(exactly(x)).map(({ numerator, denominator }) =>
        String((numerator * 10n ** 60n) / denominator),
      );
      expect(below).toBe(above);
      return below as string;
    };
    expect(digits(1)).toBe('2718281828459045235360287471352662497757247093699959574966967');
    expect(digits(10)).toMatch(/^22026465794806716516957900645284244366353512618556781/);
    expect(digits(0.5)).toMatch(/^1648721270700128146848650787814163571653776100710148011/);
    expect(digits(0)).toBe(String(10n ** 60n));
  });
});

describe('exp', () => {
  // One random point in each of 2,000 intervals of (0, 64), and a few that are special.
  const word = words(seededRng(50));
  const grid = [...Array.from({ length: 2000 }, (_, i) => (i + word() / 2 ** 32) / 31.25), 2 ** -40, 1e-9, Math.LN2 / 2, Math.LN2, 1, 64];

  test('has a relative error below 2^-50 on two thousand points of (0, 64]', () => {
    for (const x of grid) expect(relativeError(exp(x), enclosedExponential(exactly(x))[0]), String(x)).toBeLessThan(2 ** -50);
  });

  test('reduced by 2^-46 is below e^x there by more than 2^-47, which later roundings may use up, and by less than 2^-45', () => {
    for (const x of grid) {
      const [below] = enclosedExponential(exactly(x));
      expect(less(exactly(expBelow(x)), multiply(below, rational(2n ** 47n - 1n, 2n ** 47n))), String(x)).toBe(true);
      expect(relativeError(expBelow(x), below), String(x)).toBeLessThan(2 ** -45);
    }
  });

  test('of 0 is 1', () => {
    expect(exp(0)).toBe(1);
  });
});

describe('lnUp', () => {
  const word = words(seededRng(64));
  const wide = (): bigint => (BigInt(word()) << 32n) | BigInt(word());
  const ordered = (a: bigint, b: bigint): Ratio => (a < b ? ratio(b, a) : ratio(a, b));
  const laws = [
    ...[2, 16, 1024].flatMap((size) => Object.values(kAry.odds(permanentKAryLaw(size, 1, 4)))),
    ...Object.values(rappor.odds(rapporLaw(1, 100_000, 4))),
    ...Object.values(rappor.odds({ ...rapporLaw(0.5, 1, 1), hashes: 16 })),
  ] as readonly Ratio[];
  const ratios: readonly Ratio[] = [
    ratio(1n, 1n),
    ratio(2n, 1n),
    ratio(3n, 1n),
    ratio(1024n, 1n),
    ratio(T - 1n, 1n),
    ratio(T, 1n),
    ratio(T, T - 1n),
    ratio(2n ** 64n, 2n ** 64n - 1n),
    ratio((T - 1n) ** 2n, 1n),
    ratio(2n ** 64n - 1n, 2n ** 63n),
    ratio(2n ** 64n + 1n, 2n ** 64n),
    ...laws,
    ...Array.from({ length: 100 }, () => ordered(BigInt(word()) + 1n, BigInt(word()) + 1n)),
    ...Array.from({ length: 100 }, () => ordered(wide() + 1n, wide() + 1n)),
    ...Array.from({ length: 60 }, () => ordered(wide() * wide() + 1n, (wide() + 1n) * BigInt(word() + 1))),
    ...Array.from({ length: 40 }, (_, i) => ratio(2n ** 64n + BigInt(i), 2n ** 64n - BigInt(word()))),
  ];

  test.each([1, 3, 6, 9, 15, 30])(
    'is an upper bound, and less than one unit of its last decimal above the truth, with %i decimals',
    (decimals) => {
      const unit = 10n ** BigInt(decimals);
      for (const r of ratios) {
        const text = lnUp(r, decimals);
        expect(text).toMatch(new RegExp(`^\\d+\\.\\d{${decimals}}$`));
        const stated = rational(BigInt(text.replace('.', '')), unit);
        expect(
          less(enclosedExponential(stated)[0], r) && r.numerator !== r.denominator,
          `below ln of ${r.numerator}/${r.denominator}`,
        ).toBe(false);
        if (r.numerator === r.denominator) continue;
        expect(
          less(enclosedExponential(subtract(stated, rational(1n, unit)))[1], r),
          `far above ln of ${r.numerator}/${r.denominator}`,
        ).toBe(true);
      }
    },
  );

  test('is an upper bound even in decimals that are finer than its own arithmetic', () => {
    for (const r of ratios) {
      const stated = rational(BigInt(lnUp(r, 45).replace('.', '')), 10n ** 45n);
      expect(r.numerator !== r.denominator && less(enclosedExponential(stated)[1], r), `${r.numerator}/${r.denominator}`).toBe(false);
    }
  });

  test('of 1 is 0, and of less than 1 is refused', () => {
    expect(lnUp(ratio(7n, 7n))).toBe('0.000000');
    expect(() => lnUp(ratio(6n, 7n))).toThrow('lnUp: expected a ratio of at least 1');
    expect(() => ratio(0n, 1n)).toThrow('ratio: expected two positive integers');
    expect(enclosedExponential(rational(0))[0]).toEqual(ONE);
  });
});
