/** Whether the standard error of a string's share is true where rare strings begin like it. */

import { seededRng, words } from '@murmuration/client/testing';
import { prefixHashingLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { sharesOf } from '#collector/estimation/prefixes.ts';
import { type Fleet, talliesOf } from '../../kit/string-fleet.ts';
import { upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

const law = prefixHashingLaw(8, 4);

/** Strings that rare ones begin like: how many of each there are, in devices. */
interface Crowd {
  readonly strings: number;
  readonly own: number;
  readonly mates: number;
  readonly eachMate: number;
  readonly rest: number;
}

/** The squared errors of the strings' shares in units of their variances, summed over rounds, each with other strings. */
function errorsOf({ strings, own, mates, eachMate, rest }: Crowd, rounds: number): number {
  let statistic = 0;
  for (let round = 0; round < rounds; round++) {
    const word = words(seededRng(9_000 + round));
    const letters = (count: number): string => Array.from({ length: count }, () => String.fromCharCode(97 + (word() % 26))).join('');
    const starts = Array.from({ length: strings }, () => letters(5));
    const fleet: Fleet = [
      ...starts.map((start) => [`${start}-`, own] as const),
      ...starts.flatMap((start) => Array.from({ length: mates }, () => [start + letters(3), eachMate] as const)),
      ...Array.from({ length: rest }, () => [letters(8), 1] as const),
    ];
    const devices = fleet.reduce((sum, [, count]) => sum + count, 0);
    const found = sharesOf(
      law,
      talliesOf(law, fleet, word),
      starts.map((start) => `${start}-`),
    );
    for (const { estimate, standardError } of found) statistic += ((estimate - own / devices) / standardError) ** 2;
  }
  return statistic;
}

/** Seeded, so the verdicts are the same on every run. Other seeds would fail below p = 10⁻⁶ if the law is right. */
test.each<[string, number, Crowd]>([
  ['no level shows it', 20, { strings: 20, own: 100, mates: 150, eachMate: 13, rest: 18_000 }],
  ['levels count less for it', 40, { strings: 3, own: 16_000, mates: 20, eachMate: 150, rest: 2_000 }],
])('standard errors are true where rare strings begin alike and %s', (_, each, crowd) => {
  const rounds = each * EFFORT;
  expect(upperTail({ statistic: errorsOf(crowd, rounds), degrees: rounds * crowd.strings })).toBeGreaterThan(1e-6);
});
