/**
 * Proofs of the ledger by random schemas, days and changes of schema: what leaves in any window of a schema's budget
 * reveals no more than that budget, counted by what was truly sent and not by what the ledger wrote down.
 */

import { type MetricDocument, PERIOD_DAYS, type Period } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openWindows } from '#client/ledger/ledger.ts';
import { type Event, follow, revealedBy, sentOf, type Version, type Visit, versions, visits, windowsOf } from './device.ts';

const numbered = (n: number): string => `symbol ${n}`;
const PERIODS = Object.keys(PERIOD_DAYS) as Period[];

/** Fails if a window of some version's length, in which that version reported, reveals more than its budget. */
function expectWithinBudgets(sent: readonly Event[]): void {
  for (const per of new Set(sent.map(({ version }) => version.budget.per))) {
    for (const window of windowsOf(sent, PERIOD_DAYS[per])) {
      const promised = window.map(({ version }) => version.budget).filter((budget) => budget.per === per);
      if (promised.length > 0) expect(revealedBy(window)).toBeLessThanOrEqual(Math.min(...promised.map(({ epsilon }) => epsilon)));
    }
  }
}

describe('with one schema', () => {
  test('no window reveals more than the budget', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 1)), (days) => expectWithinBudgets(sentOf(follow(days, numbered)))),
      { numRuns: 600, seed: 1 },
    );
  });

  test('no window of the budget holds two epochs of one permanent metric', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 1)), (days) => {
        const { metrics, budget } = (days[0] as Visit).version;
        for (const name of Object.keys(metrics).filter((metric) => metrics[metric]?.permanent)) {
          const reports = sentOf(follow(days, numbered)).filter(({ metric }) => metric === name);
          for (const window of windowsOf(reports, PERIOD_DAYS[budget.per]))
            expect(new Set(window.map(({ symbol }) => symbol)).size).toBe(1);
        }
      }),
      { numRuns: 600, seed: 2 },
    );
  });

  test('no window of the cadence holds two reports of one metric', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 1)), (days) => {
        const { metrics } = (days[0] as Visit).version;
        for (const [name, { every }] of Object.entries(metrics)) {
          const reports = sentOf(follow(days, numbered)).filter(({ metric }) => metric === name);
          for (const window of windowsOf(reports, every === 'once' ? 1e6 : PERIOD_DAYS[every])) expect(window).toHaveLength(1);
        }
      }),
      { numRuns: 600, seed: 3 },
    );
  });

  test('an epoch keeps its symbol for as long as it lasts, and not a day longer', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 1)), (days) => {
        const { metrics } = (days[0] as Visit).version;
        for (const [name, { permanent }] of Object.entries(metrics)) {
          if (permanent === undefined) continue;
          const lasts = permanent.renew === 'never' ? 1e6 : PERIOD_DAYS[permanent.renew];
          let began: Event | undefined;
          for (const report of sentOf(follow(days, numbered)).filter(({ metric }) => metric === name)) {
            if (began === undefined || report.day >= began.day + lasts) {
              expect(report.symbol).not.toBe(began?.symbol);
              began = report;
            }
            expect(report.symbol).toBe(began.symbol);
          }
        }
      }),
      { numRuns: 400, seed: 9 },
    );
  });

  test('no record is ever over budget', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 1)), (days) => {
        for (const { outcome } of follow(days, numbered)) expect(outcome).not.toBe('over-budget');
      }),
      { numRuns: 600, seed: 4 },
    );
  });
});

describe('when budget, cadence, law, permanence and metrics change', () => {
  test.each(PERIODS)('no window of a %s reveals more than the budget of any version that reported in it', (per) => {
    fc.assert(
      fc.property(visits(versions([per], 4)), (days) => expectWithinBudgets(sentOf(follow(days, numbered)))),
      { numRuns: 600, seed: 5 },
    );
  });
});

test('when the length of the window changes too, no window reveals more than the budget of any version that reported in it', () => {
  fc.assert(
    fc.property(visits(versions(PERIODS, 4)), (days) => expectWithinBudgets(sentOf(follow(days, numbered)))),
    { numRuns: 600, seed: 6 },
  );
});

describe('a change of schema, by example:', () => {
  const law = (truth: number) => ({ mechanism: 'k-ary', size: 2, truth }) as const;
  const fresh = (epsilon: number): MetricDocument => ({ type: 'flag', epsilon, every: 'day', law: law(1) });
  const kept = (epsilon: number): MetricDocument => ({ ...fresh(epsilon), permanent: { epsilon, renew: 'never' }, law: law(2) });
  const version = (epsilon: number, per: Period, metrics: Version['metrics']): Version => ({ budget: { epsilon, per }, metrics });
  const outcomes = (...days: readonly (readonly [day: number, version: Version, ...records: string[]])[]) => {
    const events = follow(
      days.map(([day, of, ...records]) => ({ day, version: of, records })),
      numbered,
    );
    expectWithinBudgets(sentOf(events));
    return events.map(({ outcome }) => outcome);
  };

  test('a budget that rises again does not forget a lower one that an epoch reported under', () => {
    const [high, low] = [version(10, 'month', { a: kept(1), b: fresh(9) }), version(2, 'month', { a: kept(1) })];
    expect(outcomes([0, high, 'a'], [1, low, 'a'], [2, high, 'a', 'b'])).toEqual(['free', 'free', 'free', 'over-budget']);
    expect(outcomes([0, high, 'a'], [1, low, 'a'], [2, high, 'a'], [31, high, 'a', 'b'])).toEqual(['free', 'free', 'free', 'free', 'free']);
  });

  test('an epoch that goes on does not hold later versions to the budget that it began under', () => {
    const [low, high] = [version(1, 'week', { a: kept(1) }), version(3, 'week', { a: kept(1), b: fresh(2) })];
    expect(outcomes([0, low, 'a'], [3, high, 'a', 'b'], [7, high, 'a', 'b'])).toEqual(['free', 'free', 'over-budget', 'free', 'free']);
  });

  test('a window that becomes shorter does not cut off the longer ones that have begun', () => {
    const [long, short] = [version(5, 'month', { a: fresh(1) }), version(4, 'day', { b: fresh(4) })];
    expect(outcomes([0, long, 'a'], [1, short, 'b'], [2, short, 'b'], [30, short, 'b'])).toEqual([
      'free',
      'over-budget',
      'over-budget',
      'free',
    ]);
    const roomy = version(5, 'day', { b: fresh(4) });
    expect(outcomes([0, long, 'a'], [1, roomy, 'b'], [2, roomy, 'b'])).toEqual(['free', 'free', 'over-budget']);
  });

  test('an epoch that goes on under the same ε for a shorter window does not forget the longer one', () => {
    const [long, short] = [version(2, 'month', { a: kept(1) }), version(2, 'day', { a: kept(1), b: fresh(1) })];
    const days = [0, 1, 2, 29, 30].map((day) => (day === 0 ? ([day, long, 'a'] as const) : ([day, short, 'a', 'b'] as const)));
    expect(outcomes(...days)).toEqual(['free', 'free', 'free', 'free', 'over-budget', 'free', 'over-budget', 'free', 'free']);
  });

  test('a window that becomes longer waits until it holds nothing of the shorter ones, which were not kept for so long', () => {
    const [short, long] = [version(4, 'day', { a: fresh(4) }), version(10, 'year', { b: fresh(1) })];
    expect(outcomes([0, short, 'a'], [1, short, 'a'], [2, short, 'a'], [3, long, 'b'])).toEqual(['free', 'free', 'free', 'over-budget']);
    expect(outcomes([0, short, 'a'], [1, short, 'a'], [365, long, 'b'], [366, long, 'b'])).toEqual(['free', 'free', 'over-budget', 'free']);
  });

  test('what was spent on the first day of a window counts on its last, though its own metric has reported again', () => {
    const before = version(6, 'month', { a: fresh(5) });
    const after = version(6, 'month', { a: fresh(0.5), b: fresh(1) });
    expect(outcomes([1, before, 'a'], [30, after, 'a', 'b'], [31, after, 'b'])).toEqual(['free', 'free', 'over-budget', 'free']);
  });

  test('what a metric spent before it was permanent does not stand for its epoch', () => {
    const [before, after] = [version(9, 'month', { a: fresh(1) }), version(9, 'day', { a: kept(8), b: fresh(1) })];
    expect(outcomes([0, before, 'a'], [1, after, 'a'], [2, after, 'a', 'b'])).toEqual(['free', 'free', 'free', 'over-budget']);
  });
});

test('once the windows of an old version have passed, nothing is over the budget of the new one', () => {
  let late = 0;
  fc.assert(
    fc.property(visits(versions(PERIODS, 2)), (days) => {
      const [first, last] = [days[0]?.version as Version, days.at(-1)?.version as Version];
      const changed = days.find(({ version }) => version === last)?.day as number;
      const passed = changed + Math.max(PERIOD_DAYS[first.budget.per], PERIOD_DAYS[last.budget.per]);
      for (const { day, outcome } of follow(days, numbered)) {
        if (day < passed) continue;
        expect(outcome).not.toBe('over-budget');
        late++;
      }
    }),
    { numRuns: 600, seed: 7 },
  );
  expect(late).toBeGreaterThan(600);
});

test('what is decided depends on days alone: symbols are never looked at', () => {
  fc.assert(
    fc.property(visits(versions(PERIODS, 3)), fc.func(fc.string()), (days, other) => {
      const outcomes = (symbolOf: (n: number) => string) => follow(days, symbolOf).map(({ outcome }) => outcome);
      expect(outcomes(other)).toEqual(outcomes(numbered));
    }),
    { numRuns: 600, seed: 8 },
  );
});

test('hundreds of thousands of reports are added up like three', () => {
  const spent = Array.from({ length: 300_000 }, (_, i) => ({
    epsilon: 2 ** -18,
    budget: { epsilon: 2, per: 'year' as const },
    day: i % 300,
  }));
  expect(openWindows({ a: { day: 299, by: '', spent } }, 300, { epsilon: 3, per: 'month' })).toEqual({ epsilon: 2, per: 'year' });
});
