/** The vectors of means and counts, made by an independent script from docs/format.md, hold for the shipped code. */

import { readFileSync } from 'node:fs';
import {
  countLaw,
  geometricLaw,
  hierarchicalLaw,
  hybridLaw,
  hybridMeanLaw,
  type Law,
  laplaceLaw,
  meanLaw,
  mechanismOf,
  piecewiseLaw,
  squareWaveLaw,
  steppedLaw,
} from '@murmuration/shared';
import { expect, test } from 'vitest';

interface Case {
  readonly table: string;
  readonly mechanism: string;
  readonly grid: number;
  readonly window: number;
  readonly max: number;
  readonly cells: number;
  readonly branching?: number;
  readonly epsilon: number;
  readonly law: Law;
  readonly odds: readonly [string, string];
}

const tables = JSON.parse(readFileSync(new URL('../vectors/numbers.json', import.meta.url), 'utf8')) as {
  readonly [table: string]: readonly Case[];
};

const named: { readonly [mechanism: string]: (epsilon: number) => Law } = {
  hybrid: hybridMeanLaw,
  piecewise: steppedLaw,
  laplace: laplaceLaw,
};

const derive: { readonly [table: string]: (of: Case) => Law } = {
  piecewise: ({ grid, window, epsilon }) => piecewiseLaw(grid, window, epsilon),
  mean: ({ epsilon }) => meanLaw(epsilon),
  count: ({ max, epsilon }) => countLaw(max, epsilon),
  geometric: ({ max, epsilon }) => geometricLaw(max, epsilon),
  hierarchical: ({ cells, epsilon, branching }) => hierarchicalLaw(cells, epsilon, branching),
  hybrid: ({ grid, window, epsilon }) => hybridLaw(grid, window, epsilon),
  named: ({ mechanism, epsilon }) => named[mechanism]?.(epsilon) as Law,
  squareWave: ({ cells, epsilon }) => squareWaveLaw(cells, epsilon),
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
