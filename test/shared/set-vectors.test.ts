/** The vectors of sets, of the exponential mechanism, of dBitFlip and of one bit, made by an independent script from docs/format.md, hold for the shipped code. */

import { readFileSync } from 'node:fs';
import { dBitFlipLaw, exponentialLaw, type Law, mechanismOf, oneBitLaw, privSetLaw, setLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';

interface Case {
  readonly table: string;
  readonly size: number;
  readonly atMost: number;
  readonly subset: number;
  readonly utility: readonly (readonly number[])[];
  readonly bits: number;
  readonly permanent: number;
  readonly epsilon: number;
  readonly law: Law;
  readonly odds: readonly [string, string];
  readonly permanentOdds?: readonly [string, string];
}

const tables = JSON.parse(readFileSync(new URL('../vectors/sets.json', import.meta.url), 'utf8')) as {
  readonly [table: string]: readonly Case[];
};

const derive: { readonly [table: string]: (of: Case) => Law } = {
  privset: ({ size, atMost, subset, epsilon }) => privSetLaw(size, atMost, subset, epsilon),
  chosen: ({ size, atMost, epsilon }) => setLaw(size, atMost, epsilon),
  dBitFlip: ({ size, bits, epsilon, permanent }) => dBitFlipLaw(size, bits, epsilon, permanent),
  oneBit: ({ epsilon, permanent }) => oneBitLaw(epsilon, permanent),
  exponential: ({ utility, epsilon }) => exponentialLaw(utility, epsilon),
};

test.each(Object.keys(derive))('%s: every integer and every exact e^ε is the independent one', (table) => {
  const cases = tables[table] ?? [];
  expect(cases.length).toBeGreaterThan(50);
  for (const each of cases) {
    const law = derive[table]?.(each) as Law;
    expect(law).toEqual(each.law);
    const { report, permanent } = mechanismOf(law).odds(law);
    expect([report.numerator, report.denominator].map(String)).toEqual(each.odds);
    if (permanent) expect([permanent.numerator, permanent.denominator].map(String)).toEqual(each.permanentOdds);
  }
});

test('what 32 bits cannot hold is refused by both', () => {
  const refused = tables['refused'] ?? [];
  expect(refused.length).toBeGreaterThan(3);
  for (const each of refused) expect(() => derive[each.table]?.(each), JSON.stringify(each)).toThrow(RangeError);
});
