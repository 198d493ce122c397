/** Laws against the vectors of test/vectors, made by an independent script from docs/format.md. */

import { readFileSync } from 'node:fs';
import { type Law, mechanismOf, type Ratio } from '@murmuration/shared';
import { expect, test } from 'vitest';

/** A file of vectors. */
export const readVectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as T;

/** A law, and its exact e^ε as numerator and denominator where the script gives them. */
export interface LawCase {
  readonly law: Law;
  /** ε∞, where it was asked for. */
  readonly permanent?: number;
  readonly odds?: readonly [string, string];
  readonly permanentOdds?: readonly [string, string];
}

const written = ({ numerator, denominator }: Ratio): readonly string[] => [numerator, denominator].map(String);

/** Every law of the tables is what is derived, integer by integer. No table is left out. */
export function testLaws<C extends LawCase>(
  tables: { readonly [table: string]: readonly C[] },
  derive: { readonly [table: string]: (of: C) => Law },
): void {
  test('every table of laws is derived', () => {
    expect(Object.keys(tables).sort()).toEqual(Object.keys(derive).sort());
  });

  test.each(Object.keys(tables))('%s: every integer and every exact e^ε is the independent one', (table) => {
    const cases = tables[table] ?? [];
    expect(cases.length).toBeGreaterThan(50);
    for (const each of cases) {
      const law = derive[table]?.(each) as Law;
      expect(law).toEqual(each.law);
      mechanismOf(law).validate(law);
      if (each.odds === undefined) continue;
      const { report, permanent } = mechanismOf(law).odds(law);
      expect(written(report)).toEqual(each.odds);
      if (permanent ?? each.permanent) expect(permanent && written(permanent)).toEqual(each.permanentOdds);
    }
  });
}

/** What the script refuses is refused. */
export function testRefused<C>(refused: readonly C[], attempt: (of: C) => Law | undefined): void {
  test('what 32 bits cannot hold is refused by both', () => {
    expect(refused.length).toBeGreaterThan(3);
    for (const each of refused) expect(() => attempt(each), JSON.stringify(each)).toThrow(RangeError);
  });
}
