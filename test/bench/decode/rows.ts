/** Six settings of this project's own RAPPOR law: 128 bits, one hash, P(1 | 1) = 1/2 and P(1 | 0) = 1 / (e^ε + 1). */

import type { Part } from '../../kit/part.ts';
import { type Setting, type Shape, simulated, type Unlisted } from '../../kit/simulated-set.ts';
import { designs } from './designs.ts';
import { summaryOf } from './summary.ts';
import { oracleOf, trial } from './trial.ts';

interface Row {
  readonly epsilon: number;
  readonly cohorts: number;
  readonly reports: number;
  readonly strings: number;
  readonly nulls: number;
  readonly shape: Shape;
  readonly unlisted: Unlisted;
  /** Strings that a prototype in another language found on data of the same kind. */
  readonly prototype: number;
}

const zipf = { shape: 'zipf', unlisted: 'none' } as const;
const ROWS: readonly Row[] = [
  { epsilon: 2, cohorts: 32, reports: 20_000, strings: 40, nulls: 300, ...zipf, prototype: 12.2 },
  { epsilon: 4, cohorts: 32, reports: 20_000, strings: 30, nulls: 400, shape: 'two heavy', unlisted: 'none', prototype: 30 },
  { epsilon: 4, cohorts: 256, reports: 100_000, strings: 200, nulls: 1_000, ...zipf, prototype: 61 },
  { epsilon: 2, cohorts: 64, reports: 1_000_000, strings: 200, nulls: 1_000, ...zipf, prototype: 69.4 },
  { epsilon: 2, cohorts: 64, reports: 1_000_000, strings: 202, nulls: 1_000, shape: 'zipf', unlisted: 'the top two', prototype: 69.7 },
  { epsilon: 2, cohorts: 1_024, reports: 100_000, strings: 200, nulls: 1_000, ...zipf, prototype: 21.3 },
];

const settingOf = ({ epsilon, ...row }: Row): Setting => ({
  ...row,
  cells: 128,
  hashes: 1,
  inside: 0.5,
  outside: 1 / (Math.exp(epsilon) + 1),
});

/** So many rounds of each row. */
export function rows(rounds: number, seed: number): Part {
  const found = ROWS.map((row, i) => {
    const sets = Array.from({ length: rounds }, (_, round) => simulated(settingOf(row), seed + 1_000 * i + round));
    const oracles = sets.map(oracleOf);
    const by = Object.fromEntries(
      ['alone', 'decode'].map((name) => {
        const verdicts = sets.map((set, round) =>
          trial(set, designs[name] as (typeof designs)[string], oracles[round] as (typeof oracles)[number]),
        );
        const squares = verdicts.reduce((sum, { squaredError }) => sum + squaredError, 0);
        return [name, { ...summaryOf(verdicts), found: verdicts.reduce((sum, each) => sum + each.found, 0) / rounds, squares }];
      }),
    ) as { readonly [name in 'alone' | 'decode']: ReturnType<typeof summaryOf> & { readonly found: number; readonly squares: number } };
    return { row, ...by, oracle: oracles.reduce((sum, each) => sum + each.found, 0) / rounds };
  });
  return {
    title: `Six settings, ${rounds} rounds each from seed ${seed} on, nominal 5 %`,
    failures: [],
    rows: [
      ['ε, cohorts, reports, strings + nulls', 'alone', 'FDP', 'decode', 'FDP', 'oracle', 'prototype', 'MSE ratio'],
      ...found.map(({ row, alone, decode, oracle }) => [
        `${row.epsilon}, ${row.cohorts}, ${row.reports}, ${row.shape}${row.unlisted === 'none' ? '' : ' less two'} ${row.strings} + ${row.nulls}`,
        alone.found.toFixed(1),
        alone.fdp.toFixed(3),
        decode.found.toFixed(1),
        decode.fdp.toFixed(3),
        oracle.toFixed(1),
        row.prototype.toFixed(1),
        (alone.squares / decode.squares).toFixed(2),
      ]),
    ],
    result: found,
  };
}
