/** Analysts who share streams: who counts as one, what they have spent together, and what is refused, against coalitions counted one by one. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byParty, type Charge, type Colluders, type Cost, groupsOf, partiesOf, spentBy } from '#collector/release/budget/accounting.ts';
import { type Amount, add, compare, most, parseAmount, ZERO } from '#collector/release/budget/amount.ts';
import { type Budgets, spendingOf } from '#collector/release/budget/budgets.ts';
import { checkBudgets, OverBudget, tightest } from '#collector/release/budget/limits.ts';
import { pure } from '#collector/release/mechanisms/mechanism.ts';

const NAMES = ['ann', 'ben', 'cid', 'dan', 'eve'] as const;
const costOf = (epsilon: string): Cost => pure(parseAmount(epsilon, 'epsilon'));
const days = { from: 1, to: 1 };

/** Releases: to one analyst, or to several through a stream. */
interface Release {
  readonly to: readonly string[];
  readonly epsilon: string;
}

const chargesOf = (releases: readonly Release[]): readonly Charge[] =>
  releases.flatMap(({ to, epsilon }, i) =>
    to.map((analyst) => ({ analyst, ...days, cost: costOf(epsilon), ...(to.length > 1 && { shared: i }) })),
  );

/** All that reaches analysts, directly or through those with whom they share a stream, until nothing is added. */
function reach(releases: readonly Release[], analysts: readonly string[]): Amount {
  const known = new Set(analysts);
  for (let size = -1; size < known.size; ) {
    size = known.size;
    for (const { to } of releases) if (to.length > 1 && to.some((name) => known.has(name))) for (const name of to) known.add(name);
  }
  return releases
    .filter(({ to }) => to.some((name) => known.has(name)))
    .reduce((sum, { epsilon }) => add(sum, parseAmount(epsilon, 'epsilon')), ZERO);
}

const coalitions = (size: number, from: readonly string[] = NAMES): readonly (readonly string[])[] =>
  size === 0 ? [[]] : from.flatMap((name, i) => coalitions(size - 1, from.slice(i + 1)).map((rest) => [name, ...rest]));

const release = fc.record({
  to: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
  epsilon: fc.constantFrom('0.1', '0.3', '1', '1/3'),
});

test('what any so many analysts have spent is at most what all that can reach any of them has cost, and exactly that of the worst', () => {
  fc.assert(
    fc.property(fc.array(release, { maxLength: 7 }), fc.constantFrom<Colluders>(1, 2, 3, 'all'), (releases, colluders) => {
      const charges = chargesOf(releases);
      const spent = spentBy(byParty(charges, partiesOf(groupsOf(charges))), 'epsilon', days, colluders);
      const worst = coalitions(colluders === 'all' ? NAMES.length : colluders)
        .map((coalition) => reach(releases, coalition))
        .reduce(most, ZERO);
      expect(compare(spent, worst)).toBe(0);
    }),
  );
});

const limit = (text: string) => ({ unit: 'epsilon', amount: parseAmount(text, 'it') }) as const;
const budgetsWith = (releases: readonly Release[], table: string, colluders: Colluders): Budgets => {
  const charges = chargesOf(releases);
  return {
    table: { limit: limit(table), colluders, batchesPerDay: 8 },
    analysts: new Map(NAMES.map((name) => [name, limit('3')])),
    charges,
    groups: groupsOf(charges),
  };
};
const due = (analysts: readonly string[], epsilon: string, range = days) =>
  ({ what: 'stream', app: 'notes', analysts, cost: costOf(epsilon), ...range }) as const;

describe('a stream', () => {
  test('costs the table once and each analyst all of it', () => {
    const budgets = budgetsWith([{ to: ['ann', 'ben'], epsilon: '1' }], '2', 'all');
    const spent = Object.fromEntries(
      spendingOf(budgets).map(({ analyst = 'table', spent: { amount } }) => [analyst, Number(amount.numerator)]),
    );
    expect(spent).toEqual({ table: 1, ann: 1, ben: 1, cid: 0, dan: 0, eve: 0 });
    expect(() => checkBudgets(budgets, due(['ann', 'cid'], '1'))).not.toThrow();
    expect(() => checkBudgets(budgets, due(['ann', 'cid'], '1.1'))).toThrow(
      'the budget of the table of notes, ε 1 a day, got one of ε 1.1',
    );
    expect(tightest(budgets, due(['cid'], '1'))).toEqual(limit('1'));
  });

  test('makes its analysts one colluder, with all that each of them was told on any day', () => {
    const releases = [
      { to: ['ann'], epsilon: '1.5' },
      { to: ['ben'], epsilon: '1.5' },
    ];
    const budgets = budgetsWith(releases, '2', 1);
    expect(() => checkBudgets(budgets, due(['ann'], '0.5'))).not.toThrow();
    expect(() => checkBudgets(budgets, due(['ann', 'cid'], '0.5'))).not.toThrow();
    expect(() => checkBudgets(budgets, due(['ann', 'ben'], '0.1'))).toThrow(OverBudget);
    expect(() => checkBudgets(budgets, due(['ann', 'ben'], '0.1', { from: 7, to: 7 }))).toThrow(
      'since those who share a stream count as one, got ann, ben, with whom it would be ε 3; nothing was spent',
    );
    expect(() => checkBudgets(budgetsWith(releases, '3', 1), due(['ann', 'ben'], '0.1', { from: 7, to: 7 }))).not.toThrow();
  });

  test('leaves nothing to an analyst whose party has spent all', () => {
    const budgets = budgetsWith(
      [
        { to: ['ann', 'ben'], epsilon: '1' },
        { to: ['ben'], epsilon: '1' },
      ],
      '2',
      1,
    );
    expect(() => checkBudgets(budgets, { ...due(['ann'], '0.1'), what: 'question' })).toThrow(
      'expected a question within what is left of the budget of the table of notes, ε 0 a day, got one of ε 0.1',
    );
    expect(() => checkBudgets(budgets, due(['cid'], '2'))).not.toThrow();
  });
});
