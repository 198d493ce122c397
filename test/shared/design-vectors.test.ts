/** The vectors of laws on designs, made by an independent script from docs/format.md, hold for the shipped code. */

import { readFileSync } from 'node:fs';
import {
  countMeanSketchLaw,
  hadamardCountMeanSketchLaw,
  hadamardLaw,
  type Law,
  mechanismOf,
  projectiveLaw,
  type ShareLaw,
} from '@murmuration/shared';
import { expect, test } from 'vitest';

interface Case {
  readonly mechanism: string;
  readonly size: number;
  readonly epsilon: number;
  readonly order?: number;
  readonly law: Law;
  readonly permanent?: number;
  readonly odds: readonly [string, string];
  readonly permanentOdds?: readonly [string, string];
}

const { sets, refused, ...tables } = JSON.parse(readFileSync(new URL('../vectors/designs.json', import.meta.url), 'utf8')) as {
  readonly [table: string]: readonly Case[];
} & {
  readonly sets: readonly { readonly law: ShareLaw; readonly cohort: number; readonly answer: number; readonly cells: readonly number[] }[];
};

const derive: { readonly [table: string]: (of: Case) => Law } = {
  hadamard: ({ size, epsilon, order }) => hadamardLaw(size, epsilon, order),
  projective: ({ size, epsilon, order }) => projectiveLaw(size, epsilon, order),
  count_mean_sketch: ({ size, epsilon, order, permanent }) => countMeanSketchLaw(size, epsilon, permanent, order),
  hadamard_count_mean_sketch: ({ size, epsilon, order }) => hadamardCountMeanSketchLaw(size, epsilon, order),
};

test.each(Object.keys(tables))('%s: every integer and every exact e^ε is the independent one', (table) => {
  const cases = tables[table] ?? [];
  expect(cases.length).toBeGreaterThan(50);
  for (const each of cases) {
    const law = derive[table]?.(each) as Law;
    expect(law).toEqual(each.law);
    mechanismOf(law).validate(law);
    const { report, permanent } = mechanismOf(law).odds(law);
    expect([report.numerator, report.denominator].map(String)).toEqual(each.odds);
    if (each.permanent !== undefined) expect([permanent?.numerator, permanent?.denominator].map(String)).toEqual(each.permanentOdds);
  }
});

test('what is refused is refused by both', () => {
  expect(refused?.length).toBeGreaterThan(3);
  for (const each of refused ?? []) expect(() => derive[each.mechanism]?.(each), JSON.stringify(each)).toThrow(RangeError);
});

test('the cells that support answers are the independent ones', () => {
  expect(sets.length).toBeGreaterThan(50);
  for (const { law, cohort, answer, cells } of sets) expect(mechanismOf(law).supporting?.(law, cohort, answer)).toEqual(cells);
});
