/** Where synthetic tables and streams beat noise: the largest error over many counting queries as cells outnumber records. */

import { seededRng, words } from '@murmuration/client/testing';
import { cells } from '#collector/release/mechanisms/cells.ts';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { mwem } from '#collector/release/mechanisms/mwem.ts';
import { privateWeights } from '#collector/release/mechanisms/private-weights.ts';
import { answerOf, type CountingQuery } from '#collector/release/mechanisms/queries.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { decimal } from '#collector/release/mechanisms/spending.ts';
import { skewed, someQueries } from '../../release/runs.ts';

const RECORDS = 10_000;
const QUERIES = 200;
const TRIALS = 5;
const SIZES = [16, 64, 256, 1024, 4096, 16_384, 65_536] as const;

interface Asked {
  readonly counts: readonly number[];
  readonly queries: readonly CountingQuery[];
  readonly random: Random;
}

const worst = ({ counts, queries }: Asked, answer: (query: CountingQuery, k: number) => number): number =>
  queries.reduce((most, query, k) => Math.max(most, Math.abs(answer(query, k) - answerOf(query, counts))), 0);

const epsilon = decimal(1, 'ε');

/** The largest error of each way to answer all queries at ε 1. */
const ways: readonly (readonly [name: string, error: (asked: Asked) => number])[] = [
  ['no data', (asked) => worst(asked, (query) => (query.length * RECORDS) / asked.counts.length)],
  [
    'noise for each query',
    (asked) => {
      const noise = geometric({ epsilon, sensitivity: asked.queries.length });
      return worst(asked, (query) => noise.release(answerOf(query, asked.counts), asked.random));
    },
  ],
  [
    'noise for each cell',
    (asked) => {
      const noisy = cells(geometric({ epsilon, sensitivity: 1 }), asked.counts.length).release(asked.counts, asked.random);
      return worst(asked, (query) => answerOf(query, noisy));
    },
  ],
  [
    'MWEM',
    (asked) => {
      const { counts, queries, random } = asked;
      const table = mwem({ epsilon, sensitivity: 1, cells: counts.length, total: RECORDS, queries }).release(counts, random);
      return worst(asked, (query) => answerOf(query, table));
    },
  ],
  [
    'PMW',
    (asked) => {
      const { counts, queries, random } = asked;
      const mechanism = privateWeights({ epsilon, sensitivity: 1, cells: counts.length, total: RECORDS, queries: queries.length });
      let session = mechanism.open(random);
      return worst(asked, (query) => {
        const answered = mechanism.ask(session, query, counts, random);
        session = answered.session;
        return answered.answer;
      });
    },
  ],
];

/** A row for each number of cells. */
export function crossOver(): readonly (readonly string[])[] {
  const random = createRandom(words(seededRng(99)));
  const rows = SIZES.map((size) => {
    const asked: Asked = { counts: skewed(size, RECORDS), queries: someQueries(size, QUERIES), random };
    const means = ways.map(([, error]) => Array.from({ length: TRIALS }, () => error(asked)).reduce((sum, each) => sum + each, 0) / TRIALS);
    return [size.toLocaleString('en'), ...means.map((mean) => mean.toFixed(0))];
  });
  return [[`cells (${RECORDS.toLocaleString('en')} records, ${QUERIES} queries, ε 1)`, ...ways.map(([name]) => name)], ...rows];
}
