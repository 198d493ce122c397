/** Proofs that budgets add up: what a schema may spend never fails to fit for rounding, and what fits never overspends. */

import { chargesOf, fits, PERIOD_DAYS, type Period, sumOf, timesIn } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { range } from './channel.ts';
import { exactly, less, multiply, rational, subtract, sum } from './rational.ts';

const PERIODS = Object.keys(PERIOD_DAYS) as Period[];
const epsilon = fc.oneof(
  fc.integer({ min: 1, max: 1600 }).map((n) => n / 100),
  fc.double({ min: 0.01, max: 40, noNaN: true }),
);

describe('a window of a schema whose charges are its whole budget', () => {
  test('holds every slot of a single metric, for each cadence and each hundredth of ε', () => {
    for (const per of PERIODS) {
      for (const every of PERIODS) {
        const times = timesIn({ epsilon: 1, every }, PERIOD_DAYS[per], per);
        for (let n = 1; n <= 1000; n++) {
          const reports = range(times).map(() => n / 100);
          expect(fits(reports, (n / 100) * times), `${n / 100}, every ${every} per ${per}`).toBe(true);
        }
      }
    }
  });

  test('holds every slot of several metrics, in any order', () => {
    const metric = fc.record({ epsilon, every: fc.constantFrom(...PERIODS) });
    const schema = fc.record({ metrics: fc.dictionary(fc.string(), metric, { minKeys: 1, maxKeys: 6 }), per: fc.constantFrom(...PERIODS) });
    fc.assert(
      fc.property(schema, fc.infiniteStream(fc.nat()), ({ metrics, per }, keys) => {
        const budget = sumOf(chargesOf(metrics, per).map(({ charge }) => charge));
        const reports = Object.values(metrics).flatMap((of) => range(timesIn(of, PERIOD_DAYS[per], per)).map(() => of.epsilon));
        const shuffled = reports.map((report) => [keys.next().value as number, report] as const).sort(([a], [b]) => a - b);
        expect(
          fits(
            shuffled.map(([, report]) => report),
            budget,
          ),
        ).toBe(true);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

test('reports that fit spend, by their laws, no more than the budget, to the last bit', () => {
  // A law spends less than its ε by 2^-46, within the 2^-50 of the exponential.
  let [fitting, held] = [0, 0];
  const margin = subtract(rational(1n, 1n << 46n), rational(1n, 1n << 50n));
  fc.assert(
    fc.property(fc.array(epsilon, { minLength: 1, maxLength: 400, size: 'max' }), fc.integer({ min: -40, max: 40 }), (reports, steps) => {
      const spent = subtract(sum(reports.map(exactly)), multiply(rational(reports.length), margin));
      const plain = sumOf(reports);
      const budget = plain + steps * plain * 2 ** -52;
      const doesFit = fits(reports, budget);
      if (doesFit) expect(less(exactly(budget), spent)).toBe(false);
      // And a budget that holds the sum is never refused.
      const holds = !less(exactly(budget), sum(reports.map(exactly)));
      if (holds) expect(doesFit).toBe(true);
      fitting += Number(doesFit);
      held += Number(holds);
    }),
    { numRuns: 400, seed: 2 },
  );
  for (const cases of [fitting, 400 - fitting, held]) expect(cases).toBeGreaterThan(50);
});

test('a tenth and two tenths fit three tenths, and a hundredth more does not', () => {
  expect(fits([0.1, 0.2], 0.3)).toBe(true);
  expect(fits([0.1, 0.2, 0.01], 0.3)).toBe(false);
});
