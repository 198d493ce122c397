/** The vectors of sets and of the exponential mechanism, made by an independent script from docs/format.md, hold for the shipped code. */

import { readFileSync } from 'node:fs';
import { exponentialLaw, type Law, mechanismOf, privSetLaw, setLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';

interface Case {
  readonly table: string;
  readonly size: number;
  readonly atMost: number;
  readonly subset: number;
  readonly utility: readonly (readonly number[])[];
  readonly epsilon: number;
  readonly law: Law;
  readonly odds: readonly [string, string];
}

const tables = JSON.parse(readFileSync(new URL('../vectors/sets.json', import.meta.url), 'utf8')) as {
  readonly [table: string]: readonly Case[];
};

const derive: { readonly [table: string]: (of: Case) => Law } = {
  privset: ({ size, atMost, subset, epsilon }) => privSetLaw(size, atMost, subset, epsilon),
  chosen: ({ size, atMost, epsilon }) => setLaw(size, atMost, epsilon),
  exponential: ({ utility, epsilon }) => exponentialLaw(utility, epsilon),
};

test.each(Object.keys(derive))('%s: every integer and every exact e^ε is the independent one', (table) => {
  const cases = tables[table] ?? [];
  expect(cases.length).toBeGreaterThan(50);
  for (const each of cases) {
    const law = derive[table]?.(each) as Law;
    expect(law).toEqual(each.law);
    const { numerator, denominator } = mechanismOf(law).odds(law).report;
    expect([numerator, denominator].map(String)).toEqual(each.odds);
  }
});

test('what 32 bits cannot hold is refused by both', () => {
  const refused = tables['refused'] ?? [];
  expect(refused.length).toBeGreaterThan(3);
  for (const each of refused) expect(() => derive[each.table]?.(each), JSON.stringify(each)).toThrow(RangeError);
});
