/** Synthetic tables for marginals against noise for each cell, of both of which the command states the error before anything is spent. */

import { seededRng, words } from '@murmuration/client/testing';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import { marginalTables } from '#collector/release/mechanisms/marginal-table.ts';
import { marginalsOf, queryAnswerOf } from '#collector/release/mechanisms/queries.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';
import { skewed } from '../../collector/release/mechanisms/runs.ts';
import { aim } from './aim.ts';

const TRIALS = 20;
/** AIM gets what a release has without the bound that it tells, as ρ of the same ε. It takes seconds for the larger tables. */
const AIM_TRIALS = 3;
const AIM_SHARE = 0.8;

const CASES = [
  { sizes: [6, 5, 3], records: 100, epsilon: '0.1' },
  { sizes: [30, 10, 3], records: 500, epsilon: '0.1' },
  { sizes: [30, 10, 3], records: 5000, epsilon: '0.1' },
  { sizes: [30, 10, 10, 3], records: 1000, epsilon: '0.1' },
  { sizes: [30, 10, 10, 3], records: 3000, epsilon: '0.1' },
  { sizes: [30, 10, 10, 3], records: 10_000, epsilon: '0.1' },
  { sizes: [30, 10, 10, 3], records: 200, epsilon: '1' },
] as const;

const mean = (numbers: readonly number[]): string => (numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toFixed(0);

/** A row for each table: the largest error over all marginals, in the mean over the trials. */
export function tables(): readonly (readonly string[])[] {
  const rows = CASES.map(({ sizes, records, epsilon: text }) => {
    const [epsilon, queries] = [decimal(text, 'ε'), marginalsOf(sizes)];
    const size = sizes.reduce((product, values) => product * values, 1);
    const random = createRandom(words(seededRng(17)));
    const counts = skewed(size, records);
    const worst = (weights: readonly number[]): number =>
      Math.max(...queries.map((query) => Math.abs(queryAnswerOf(query, weights) - queryAnswerOf(query, counts))));
    const synthetic = marginalTables({ epsilon, sensitivity: 1, sizes, beta: 0.05 });
    const { mechanism, within } = synthetic.promise(records);
    const noisy = cells(geometric({ epsilon, sensitivity: 1 }), size);
    const released = Array.from({ length: TRIALS }, () => synthetic.release(counts, random));
    return [
      `${sizes.join(' × ')} cells, ${records} records, ε ${text}`,
      mechanism,
      mean(released.map(({ weights }) => worst(weights))),
      mean(released.map((table) => table.within)),
      within.toFixed(0),
      mean(Array.from({ length: TRIALS }, () => worst(noisy.release(counts, random)))),
      synthetic.cellNoise.toFixed(0),
      within < synthetic.cellNoise ? 'answered' : 'refused',
      mean(
        Array.from({ length: AIM_TRIALS }, (_, seed) => {
          const rho = AIM_SHARE * Number(text) * Math.tanh(Number(text) / 2);
          return worst([...aim(counts, sizes, rho, seed)]);
        }),
      ),
    ];
  });
  const head = [
    'table',
    'mechanism',
    'error',
    'stated with it',
    'stated before',
    'noise for each cell',
    'its stated error',
    'the question',
    'error of AIM',
  ];
  return [head, ...rows];
}
