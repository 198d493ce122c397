/** The estimators against arithmetic done another way: expected tallies give the truth back, variances are those of the channel. */

import { estimatesOf } from '@murmuration/collector';
import {
  bloomBits,
  hashString,
  type KAryLaw,
  kAryLaw,
  listLaw,
  MODULUS,
  mechanismOf,
  permanentKAryLaw,
  rapporLaw,
  type ShareLaw,
  subsetLaw,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';

const truth = [0.5, 0.3, 0.15, 0.05, 0];
const REPORTS = 1_000_000;

/** The tally that is expected of `truth`: exact, so the estimates must be exact. */
const expected = (law: ShareLaw): Float64Array => {
  const { p, q } = mechanismOf(law).support(law);
  return Float64Array.from(truth, (share) => REPORTS * (share * p + (1 - share) * q));
};
const estimate = (law: ShareLaw, cells: Float64Array, perDevice = 1) =>
  estimatesOf(law, { tallies: new Map([[0, { reports: REPORTS, cells }]]), perDevice, candidates: [] });

const lists: readonly (readonly [string, ShareLaw])[] = [
  ['k-ary', kAryLaw(5, 1)],
  ['subset', subsetLaw(5, 2, 1)],
  ['permanent k-ary', permanentKAryLaw(5, 1, 3)],
  ['the chosen law', listLaw(5, 0.5)],
];

describe('lists', () => {
  test.each(lists)('%s: the expected tally gives the truth back', (_name, law) => {
    const shares = estimate(law, expected(law)).map((row) => row.estimate);
    for (const [i, share] of shares.entries()) expect(share).toBeCloseTo(truth[i] as number, 12);
  });

  test.each(lists)('%s: the standard error is that of a sum of independent Bernoulli reports', (_name, law) => {
    const { p, q } = mechanismOf(law).support(law);
    estimate(law, expected(law)).forEach(({ standardError }, i) => {
      const share = truth[i] as number;
      const varianceOfCount = REPORTS * share * p * (1 - p) + REPORTS * (1 - share) * q * (1 - q);
      // It is that of the interval's middle, which lies a few reports from the estimate.
      expect((standardError * REPORTS * (p - q)) / Math.sqrt(varianceOfCount)).toBeCloseTo(1, 5);
    });
  });

  test.each(lists)('%s: the interval ends are where the score statistic is 1.96', (_name, law) => {
    const { p, q } = mechanismOf(law).support(law);
    for (const { estimate: share, low, high } of estimate(law, expected(law))) {
      for (const end of [low, high]) {
        const standardError = Math.sqrt((end * p * (1 - p) + (1 - end) * q * (1 - q)) / REPORTS) / (p - q);
        expect(Math.abs(share - end) / standardError).toBeCloseTo(1.959963984540054, 3);
      }
      expect(low < share && share < high).toBe(true);
    }
  });

  test('reports of one device on many days share the noise of its symbol: the variance is that of the two stages', () => {
    const law = permanentKAryLaw(3, 1, 2) as Required<KAryLaw>;
    const [a, b] = [law.truth / MODULUS, law.irr.truth / MODULUS];
    const days = 10;
    const devices = REPORTS / days;
    const { p, q } = mechanismOf(law).support(law);
    /** P(report supports the answer | symbol is it, or not), and P(symbol is it | value is it, or not). */
    const given = [(1 - b) / 2, b] as const;
    const symbol = [(1 - a) / 2, a] as const;
    const varianceOfDevice = (holds: 0 | 1): number => {
      const mean = symbol[holds] * given[1] + (1 - symbol[holds]) * given[0];
      const between = symbol[holds] * (given[1] - mean) ** 2 + (1 - symbol[holds]) * (given[0] - mean) ** 2;
      const within = symbol[holds] * given[1] * (1 - given[1]) + (1 - symbol[holds]) * given[0] * (1 - given[0]);
      return days * days * between + days * within; // of the device's count over all its days
    };
    const share = 0.4;
    const cells = Float64Array.from([share, 0.6, 0], (f) => REPORTS * (f * p + (1 - f) * q));
    const variance = (devices * (share * varianceOfDevice(1) + (1 - share) * varianceOfDevice(0))) / (REPORTS * (p - q)) ** 2;
    expect((estimate(law, cells, days)[0]?.standardError ?? 0) / Math.sqrt(variance)).toBeCloseTo(1, 5);
    expect(estimate(law, cells, 1)[0]?.standardError).toBeLessThan(Math.sqrt(variance));
  });
});

describe.each([
  ['one-time RAPPOR', rapporLaw(2, 2_000)],
  ['permanent RAPPOR', rapporLaw(1, 2_000, 3)],
])('%s', (_name, law) => {
  const { p, q } = mechanismOf(law).support(law);
  const perCohort = 1_000;
  const tallies = new Map(
    Array.from({ length: law.cohorts }, (_, cohort) => {
      const ones = bloomBits(hashString('alone'), cohort, law.hashes, law.bits);
      const cells = Float64Array.from({ length: law.bits }, (_bit, bit) => perCohort * (ones.includes(bit) ? p : q));
      return [cohort, { reports: perCohort, cells }] as const;
    }),
  );

  test('a string that everybody has is estimated as 1, another by its collisions alone, of which none is left beside it', () => {
    const [alone, other] = ['alone', 'other'].map((text) => estimatesOf(law, { tallies, perDevice: 1, candidates: [text] })[0]);
    expect(alone?.estimate).toBeCloseTo(1, 12);
    const shared = Array.from({ length: law.cohorts }, (_, cohort) => cohort).filter(
      (cohort) => bloomBits(hashString('alone'), cohort, 1, law.bits)[0] === bloomBits(hashString('other'), cohort, 1, law.bits)[0],
    ).length;
    expect(other?.estimate).toBeCloseTo((shared / law.cohorts - 1 / law.bits) / (1 - 1 / law.bits), 12);
    const together = estimatesOf(law, { tallies, perDevice: 1, candidates: ['other', 'alone', 'other'] });
    for (const [i, share] of [0, 1, 0].entries()) expect(together[i]?.estimate).toBeCloseTo(share, 9);
  });

  test('its standard error is that of one bit in each cohort, and more over many days', () => {
    const total = perCohort * law.cohorts;
    const [once, often] = [1, 30].map(
      (perDevice) => estimatesOf(law, { tallies, perDevice, candidates: ['alone'] })[0]?.standardError ?? 0,
    );
    expect(once).toBeCloseTo(Math.sqrt(total * p * (1 - p)) / total / (p - q) / (1 - 1 / law.bits), 6);
    if (law.irr === undefined) return;
    const symbol = law.one / MODULUS;
    const [given1, given0] = [law.irr.one / MODULUS, law.irr.zero / MODULUS];
    const between = symbol * (1 - symbol) * (given1 - given0) ** 2;
    const within = symbol * given1 * (1 - given1) + (1 - symbol) * given0 * (1 - given0);
    expect(often).toBeCloseTo(Math.sqrt((30 * between + within) / total) / (p - q) / (1 - 1 / law.bits), 6);
  });
});
