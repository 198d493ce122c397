/** What a preview says of reports of a mechanism for lists. */

import type { ListMechanism } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type ListLaw, mechanismOf } from '@murmuration/shared';
import { expect } from 'vitest';
import { range } from './channel.ts';

/** It says just the answers that a report supports. */
export function expectSupportSaid({ says, randomizers }: ListMechanism, law: ListLaw): void {
  const randomize = randomizers[law.mechanism] as unknown as (of: ListLaw, answer: number, coins: unknown) => Uint8Array;
  const { decode, supporting } = mechanismOf(law);
  const coins = createCoins(words(seededRng(6)));
  for (let i = 0; i < 5; i++) {
    const report = randomize(law, i % law.size, coins);
    const { cohort, cells } = decode(law, report);
    const supported = range(law.size).filter((answer) => supporting?.(law, cohort, answer).some((cell) => cells.includes(cell)));
    expect(range(law.size).filter((answer) => says?.(law, [...report], answer))).toEqual(supported);
  }
}
