/**
 * Transcripts: the exact distribution of all reports that a device sends of one permanent metric, given its history of
 * values. Which symbol a report comes from is asked of the ledger itself, day by day.
 */

import type { MetricDocument } from '@murmuration/shared';
import { epochs } from '#client/ledger/epochs.ts';
import { type Account, claim } from '#client/ledger/ledger.ts';
import { distribution } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { multiply, ONE, type Rational } from './rational.ts';

/** A permanent metric's two stages: of each value the symbols, of each symbol the reports. */
export interface Stages {
  readonly symbols: readonly Distribution[];
  readonly reports: (symbol: string) => Distribution;
}

const METRIC: MetricDocument = {
  type: 'text',
  epsilon: 1,
  every: 'day',
  permanent: { epsilon: 4, renew: 'month' },
  law: { mechanism: 'k-ary', size: 2, truth: 3 * 2 ** 30 },
};
const BUDGET = { epsilon: 4, per: 'month' } as const;

/** One value a day of one epoch; what was said before, and how likely it was. */
function follow(
  stages: Stages,
  history: readonly number[],
  day: number,
  account: Account | undefined,
  said: string,
  chance: Rational,
): [string, Rational][] {
  const value = history[day];
  if (value === undefined) return [[said, chance]];
  // Each record draws a symbol of its value; the ledger says which symbol the report comes from.
  return [...(stages.symbols[value] as Distribution)].flatMap(([drawn, p]) => {
    const next = claim({ metric: 'a', id: '', symbol: drawn }, METRIC, account ? { a: account } : {}, day, BUDGET, epochs) as Account;
    return [...stages.reports(next.epoch?.symbol ?? drawn)].flatMap(([report, q]) =>
      follow(stages, history, day + 1, next, `${said} ${report}`, multiply(chance, multiply(p, q))),
    );
  });
}

/** Transcript law of a history, as the device behaves. */
export const transcripts = (stages: Stages, history: readonly number[]): Distribution =>
  distribution(follow(stages, history, 0, undefined, '', ONE));

/** Transcript law of a history, if each value had a symbol of its own that was kept for it: RAPPOR's paper, §2, step 2. */
export function memoized({ symbols, reports }: Stages, history: readonly number[]): Distribution {
  const say = (day: number, kept: ReadonlyMap<number, string>, said: string, chance: Rational): [string, Rational][] => {
    const value = history[day];
    if (value === undefined) return [[said, chance]];
    const memo = kept.get(value);
    const drawn = memo === undefined ? [...(symbols[value] as Distribution)] : [[memo, ONE] as const];
    return drawn.flatMap(([symbol, p]) =>
      [...reports(symbol)].flatMap(([report, q]) =>
        say(day + 1, new Map([...kept, [value, symbol]]), `${said} ${report}`, multiply(chance, multiply(p, q))),
      ),
    );
  };
  return distribution(say(0, new Map(), '', ONE));
}
