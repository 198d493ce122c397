/** Proofs of the strings that are fitted together: exact without noise, calibrated with it, and of the stated covariance. */

import { agreement } from '@murmuration/collector';
import { bloomBits, hashString, mechanismOf, type RapporLaw, rapporLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { range } from './channel.ts';
import { estimatesIn, FITTED, type Fleet, oneOfEach } from './fitted-fleets.ts';
import { upperTail } from './statistics.ts';
import { expectCalibrated } from './string-fleets.ts';

/** Tallies with the expected count in every cell. */
function expectedTallies(law: RapporLaw, shares: ReadonlyMap<string, number>, perCohort: number) {
  const { p, q } = mechanismOf(law).support(law);
  return new Map(
    range(law.cohorts).map((cohort) => {
      const cells = new Float64Array(law.bits).fill(perCohort * q);
      for (const [text, share] of shares)
        for (const bit of bloomBits(hashString(text), cohort, law.hashes, law.bits))
          cells[bit] = (cells[bit] as number) + perCohort * (p - q) * share;
      return [cohort, { reports: perCohort, cells }] as const;
    }),
  );
}

test.each([1, 2])('without noise, shares of strings that collide are exact, with %i hashes', (hashes) => {
  const law: RapporLaw = { ...rapporLaw(2, 1), bits: 64, hashes, cohorts: 16 };
  const strings = range(40).map((i) => `string ${i}`);
  const shares = new Map(strings.map((text, i) => [text, (i + 1) / 820]));
  const tallies = expectedTallies(law, shares, 1e9);
  const together = estimatesOf(law, { tallies, perDevice: 1, candidates: [...strings, 'nobody'] });
  for (const [i, text] of strings.entries()) expect(together[i]?.estimate).toBeCloseTo(shares.get(text) as number, 8);
  expect(together[40]?.estimate).toBeCloseTo(0, 8);
  const [alone] = estimatesOf(law, { tallies, perDevice: 1, candidates: ['nobody'] });
  expect(Math.abs(alone?.estimate as number)).toBeGreaterThan(1e-4);
});

test('candidates that are given twice, in another order or beside more of them have the same estimate', () => {
  const law: RapporLaw = { ...rapporLaw(2, 1), cohorts: 16 };
  const tallies = expectedTallies(
    law,
    new Map([
      ['a', 0.6],
      ['b', 0.4],
    ]),
    1e6,
  );
  const estimates = (...candidates: string[]) => estimatesOf(law, { tallies, perDevice: 1, candidates });
  const [a, b] = estimates('a', 'b');
  const [again, other, twice] = estimates('b', 'a', 'b');
  expect(twice).toEqual(again);
  expect(other?.estimate).toBeCloseTo(a?.estimate as number, 8);
  expect(again?.estimate).toBeCloseTo(b?.estimate as number, 8);
});

// npm run test:deep has more fleets.
test.each(FITTED)('fleets %s: intervals cover, errors are those stated, and there is no bias', (_, fleet) => {
  expectCalibrated(oneOfEach(fleet, 150));
});

test.each([0, 2])(
  'distances of fitted estimates from the truth are chi-squared by their covariance, with %i strings unlisted',
  (unlisted) => {
    const fleet: Fleet = { law: { ...rapporLaw(2, 1), cohorts: 8 }, over: 100, strings: 40, unlisted };
    const all = range(20).map((i) => {
      const { estimates, ...population } = estimatesIn(fleet, 99_000 + i);
      return agreement(fleet.law, estimates, population);
    });
    const tail = upperTail({
      statistic: all.reduce((sum, { z2 }) => sum + z2, 0),
      degrees: all.reduce((sum, { df }) => sum + df, 0),
    });
    expect(Math.min(tail, 1 - tail)).toBeGreaterThan(1e-6);
  },
);
