/** Where synthetic tables and streams beat noise: the largest error over many counting queries as cells outnumber records. */

import { seededRng, words } from '@murmuration/client/testing';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import { mwem } from '#collector/release/mechanisms/mwem.ts';
import { privateWeights } from '#collector/release/mechanisms/private-weights.ts';
import { type CountingQuery, queryAnswerOf } from '#collector/release/mechanisms/queries.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';
import { skewed, someQueries } from '../../collector/release/mechanisms/runs.ts';

const TRIALS = 3;
/** Tables of few records, by the number of cells. */
const [FEW, QUERIES] = [2000, 200];
const SIZES = [64, 256, 1024, 4096, 16_384, 65_536] as const;
/** Streams over a larger table, by the number of queries. */
const [MANY, CELLS, HARD] = [10_000, 4096, 40];
const STREAMS = [50, 200, 1000, 4000] as const;
/** The same table in more and more cells, for fewer hard queries. */
const [WIDE, WIDE_QUERIES, WIDE_HARD] = [[65_536, 262_144, 1_048_576], 50, 20] as const;

interface Asked {
  readonly total: number;
  readonly counts: readonly number[];
  readonly queries: readonly CountingQuery[];
  readonly random: Random;
}

const worst = ({ counts, queries }: Asked, answer: (query: CountingQuery, k: number) => number): number =>
  queries.reduce((most, query, k) => Math.max(most, Math.abs(answer(query, k) - queryAnswerOf(query, counts))), 0);

const epsilon = decimal(1, 'ε');

function eachCell(asked: Asked): number {
  const noisy = cells(geometric({ epsilon, sensitivity: 1 }), asked.counts.length).release(asked.counts, asked.random);
  return worst(asked, (query) => queryAnswerOf(query, noisy));
}

/** The largest error of each way to answer all queries at ε 1. */
const ways: readonly (readonly [name: string, error: (asked: Asked) => number])[] = [
  ['no data', (asked) => worst(asked, (query) => (query.length * asked.total) / asked.counts.length)],
  [
    'noise for each query',
    (asked) => {
      const noise = geometric({ epsilon, sensitivity: asked.queries.length });
      return worst(asked, (query) => noise.release(queryAnswerOf(query, asked.counts), asked.random));
    },
  ],
  ['noise for each cell', eachCell],
  [
    'MWEM',
    (asked) => {
      const { counts, queries, random } = asked;
      const table = mwem({ epsilon, sensitivity: 1, cells: counts.length, total: asked.total, queries }).release(counts, random);
      return worst(asked, (query) => queryAnswerOf(query, table));
    },
  ],
];

/** Error of a stream, with the share of queries that are answered before the session ends. */
function streamed(asked: Asked, hard: number): { readonly error: number; readonly answered: number } {
  const { counts, total, queries, random } = asked;
  const mechanism = privateWeights({ epsilon, sensitivity: 1, cells: counts.length, total, queries: queries.length, hard });
  let [session, error, answered] = [mechanism.open(random), 0, 0];
  for (const query of queries) {
    if (session.left === 0) break;
    const { answer, session: next } = mechanism.ask(session, query, counts, random);
    session = next;
    error = Math.max(error, Math.abs(answer - queryAnswerOf(query, counts)));
    answered++;
  }
  return { error, answered: answered / queries.length };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const trials = <T>(run: () => T): readonly T[] => Array.from({ length: TRIALS }, run);
const meanError = (asked: Asked, error: (asked: Asked) => number): string => mean(trials(() => error(asked))).toFixed(0);

function streamCells(asked: Asked, hard: number): readonly string[] {
  const all = trials(() => streamed(asked, hard));
  return [mean(all.map(({ error }) => error)).toFixed(0), `${(100 * mean(all.map(({ answered }) => answered))).toFixed(0)} %`];
}

/** A row for each number of cells, then for each number of queries of a stream, then for each number of cells of a stream. */
export function crossOver(): readonly (readonly string[])[] {
  const random = createRandom(words(seededRng(99)));
  const askedOf = (total: number, size: number, queries: number): Asked => ({
    counts: skewed(size, total),
    total,
    queries: someQueries(size, queries),
    random,
  });
  const names = ways.map(([name]) => name);
  const errorsOf = (asked: Asked): readonly string[] => ways.map(([, error]) => meanError(asked, error));
  const streams = STREAMS.map((queries) => {
    const asked = askedOf(MANY, CELLS, queries);
    return [queries.toLocaleString('en'), ...errorsOf(asked), ...streamCells(asked, HARD)];
  });
  const wide = WIDE.map((size) => {
    const asked = askedOf(MANY, size, WIDE_QUERIES);
    return [size.toLocaleString('en'), meanError(asked, eachCell), ...streamCells(asked, WIDE_HARD)];
  });
  return [
    [`cells (${FEW.toLocaleString('en')} records, ${QUERIES} queries, ε 1)`, ...names],
    ...SIZES.map((size) => [size.toLocaleString('en'), ...errorsOf(askedOf(FEW, size, QUERIES))]),
    [],
    [`queries (${MANY.toLocaleString('en')} records, ${CELLS} cells, ε 1)`, ...names, `PMW, ${HARD} hard`, 'answered'],
    ...streams,
    [],
    [
      `cells (${MANY.toLocaleString('en')} records, ${WIDE_QUERIES} queries, ε 1)`,
      'noise for each cell',
      `PMW, ${WIDE_HARD} hard`,
      'answered',
    ],
    ...wide,
  ];
}
