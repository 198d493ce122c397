/** Budgets: exact amounts, the day on which most is spent, and what colluding analysts spend together, against counting by hand. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Charge, type Colluders, leftFor, spentBy } from '#collector/release/budget/accounting.ts';
import {
  type Amount,
  add,
  amountText,
  compare,
  minus,
  most,
  parseAmount,
  readAmount,
  UNBOUNDED,
  ZERO,
} from '#collector/release/budget/amount.ts';
import { pure, toDouble } from '#collector/release/mechanisms/mechanism.ts';

const amount = (text: string): ReturnType<typeof parseAmount> => parseAmount(text, 'it');

const sum = (amounts: readonly Amount[]): Amount => amounts.reduce(add, ZERO);

/** How many items are taken from arrays while work is done. */
function taken(work: () => unknown): number {
  const iterate = Array.prototype[Symbol.iterator];
  let items = 0;
  function counting(this: readonly unknown[]): ArrayIterator<unknown> {
    items += this.length;
    return iterate.call(this);
  }
  Array.prototype[Symbol.iterator] = counting;
  try {
    work();
  } finally {
    Array.prototype[Symbol.iterator] = iterate;
  }
  return items;
}

test('ten times as many charges of one day are not a hundred times as much to add up', () => {
  const chargesOf = (size: number): readonly Charge[] =>
    Array.from({ length: size }, () => ({ analyst: 'ann', from: 1, to: 9, cost: pure(amount('0.001')) }));
  const ways: readonly ((charges: readonly Charge[]) => unknown)[] = [
    (charges) => spentBy(charges, 'epsilon', { from: 1, to: 20 }, 'all'),
    (charges) => leftFor('ann', charges, { unit: 'epsilon', amount: amount('9') }, { from: 1, to: 20 }, 1),
  ];
  for (const way of ways) {
    const [few, many] = [chargesOf(200), chargesOf(2_000)].map((charges) => taken(() => way(charges))) as [number, number];
    expect(many).toBeGreaterThan(2_000); // it counts
    expect(many).toBeLessThan(20 * few); // sums have longer numbers, too
  }
});

describe('amounts', () => {
  test('are exact: ten tenths and three thirds are one', () => {
    expect(amountText(sum(Array.from({ length: 10 }, () => amount('0.1'))))).toBe('1');
    expect(amountText(sum(Array.from({ length: 3 }, () => amount('1/3'))))).toBe('1');
    expect(amountText(pure(amount('0.1')).rho)).toBe('0.004995837496');
    expect(amountText(amount('2/6'))).toBe('1/3');
    expect(amountText(minus(amount('0.1'), amount('0.25')))).toBe('-0.15');
    expect(amountText(ZERO)).toBe('0');
    expect(toDouble(amount('1/3'))).toBeCloseTo(1 / 3, 15);
  });

  test.each(['0', '0.0', '-1', '', 'x', '1/0', '0/3', '1e3', '.5', '1.', '0x10', 'Infinity', 'NaN', '1/2/3', '9'.repeat(81)])(
    '%j is refused with what was expected',
    (text) => {
      expect(() => amount(text)).toThrow(/^it: expected a number above 0, such as 0\.1 or 1\/3, got /);
    },
  );

  test('what is written is read as the same amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 9 }), (numerator, denominator) => {
        const one = readAmount(`${numerator}/${denominator}`);
        expect(readAmount(amountText(one))).toEqual(one);
        expect(toDouble(one)).toBeCloseTo(numerator / denominator, 9);
      }),
    );
    // ρ of the smallest amount, and a sum of unlike ones, are longer than what is read from outside.
    const small = pure(amount('0.000000000001')).rho;
    expect(readAmount(amountText(small))).toEqual(small);
  });

  test.each(['9'.repeat(13), `0.${'1'.repeat(13)}`, '1/101', '1/1000003'])('%s is longer than an amount need be', (text) => {
    expect(() => amount(text)).toThrow('it: expected at most 12 digits before and after the point, or a denominator of at most 100, got');
  });
});

const DAYS = 12;
const analysts = ['ann', 'ben', 'cid', 'dan'] as const;
const charge = fc
  .record({ analyst: fc.constantFrom(...analysts), days: fc.tuple(fc.nat(DAYS), fc.nat(DAYS)), tenths: fc.integer({ min: 1, max: 20 }) })
  .map(({ analyst, days, tenths }): Charge => {
    const epsilon = amount(`${tenths}/10`);
    return { analyst, from: Math.min(...days), to: Math.max(...days), cost: pure(epsilon) };
  });
const colluders = fc.oneof(fc.constant<Colluders>('all'), fc.integer({ min: 1, max: 5 }));
const range = fc.tuple(fc.nat(DAYS), fc.nat(DAYS)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

/** The most that any so many analysts have spent on any day of a range, by looking at each day. */
function spentByHand(charges: readonly Charge[], { from, to }: { readonly from: number; readonly to: number }, together: Colluders) {
  let spent = ZERO;
  for (let day = from; day <= to; day++) {
    const sums = analysts.map((name) =>
      sum(
        charges.filter((each) => each.analyst === name && each.from <= day && day <= each.to).map(({ cost }) => cost.epsilon ?? UNBOUNDED),
      ),
    );
    const sorted = sums.sort((a, b) => compare(b, a));
    spent = most(spent, sum(together === 'all' ? sorted : sorted.slice(0, together)));
  }
  return spent;
}

describe('what is spent', () => {
  test('is that of the worst day, of the analysts who have spent most', () => {
    fc.assert(
      fc.property(fc.array(charge, { maxLength: 12 }), range, colluders, (charges, days, together) => {
        expect(spentBy(charges, 'epsilon', days, together)).toEqual(spentByHand(charges, days, together));
      }),
    );
  });

  test('and what is left is exactly the largest charge that keeps every coalition within the limit', () => {
    const limit = { unit: 'epsilon', amount: amount('5') } as const;
    fc.assert(
      fc.property(fc.array(charge, { maxLength: 12 }), range, colluders, (charges, days, together) => {
        fc.pre(compare(spentByHand(charges, { from: 0, to: DAYS }, together), limit.amount) <= 0);
        const left = leftFor('ann', charges, limit, days, together);
        const spentAfter = (more: typeof left): typeof left =>
          spentByHand([...charges, { analyst: 'ann', ...days, cost: { epsilon: more, rho: more } }], { from: 0, to: DAYS }, together);
        expect(compare(spentAfter(left), limit.amount)).toBeLessThanOrEqual(0);
        expect(compare(spentAfter(add(left, amount('1/1000'))), limit.amount)).toBeGreaterThan(0);
      }),
    );
  });

  test('a limit that was lowered below what is spent leaves nothing', () => {
    const spent: Charge = { analyst: 'ann', from: 0, to: 3, cost: { epsilon: amount('2'), rho: amount('2') } };
    const limit = { unit: 'epsilon', amount: amount('1') } as const;
    expect(leftFor('ann', [spent], limit, { from: 3, to: 9 }, 1)).toEqual(ZERO);
    expect(amountText(leftFor('ann', [spent], limit, { from: 4, to: 9 }, 1))).toBe('1');
    expect(amountText(leftFor('ben', [spent], limit, { from: 0, to: 9 }, 1))).toBe('1');
    expect(leftFor('ben', [spent], limit, { from: 0, to: 9 }, 2)).toEqual(ZERO);
  });
});

test('a charge in ρ leaves nothing of a budget in ε on its days, and its ρ of a budget in ρ', () => {
  const [gaussian, geometric] = [{ epsilon: undefined, rho: amount('0.1') }, pure(amount('1'))];
  const charges: readonly Charge[] = [
    { analyst: 'ann', from: 1, to: 3, cost: gaussian },
    { analyst: 'ann', from: 3, to: 9, cost: geometric },
  ];
  const left = (unit: 'epsilon' | 'rho', text: string, from: number, to: number): string =>
    amountText(leftFor('ann', charges, { unit, amount: amount(text) }, { from, to }, 1));
  expect([left('epsilon', '5', 2, 5), left('epsilon', '5', 4, 5), left('epsilon', '5', 10, 12)]).toEqual(['0', '4', '5']);
  expect([left('rho', '1', 1, 2), left('rho', '1', 4, 5)]).toEqual(['0.9', amountText(minus(amount('1'), geometric.rho))]);
  expect(amountText(spentBy(charges, 'epsilon', { from: 1, to: 9 }, 'all'))).toBe('unbounded');
  expect(amountText(spentBy(charges, 'epsilon', { from: 4, to: 9 }, 'all'))).toBe('1');
});
