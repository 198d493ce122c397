/** One run of each release mechanism on fixed data: its error, the expected one where theory gives a figure, and the stated bound. */

import { laplace } from '@murmuration/examples/attacks/laplace';
import { multiAnalyst } from '@murmuration/examples/attacks/multi-analyst';
import { ratio } from '@murmuration/shared';
import { blr } from '#collector/release/mechanisms/blr.ts';
import { factoredDays } from '#collector/release/mechanisms/factorization.ts';
import { gaussian } from '#collector/release/mechanisms/gaussian.ts';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import type { Interactive } from '#collector/release/mechanisms/interactive.ts';
import type { NoiseMechanism, ReleaseMechanism } from '#collector/release/mechanisms/mechanism.ts';
import { medianMechanism } from '#collector/release/mechanisms/median-mechanism.ts';
import { mwem } from '#collector/release/mechanisms/mwem.ts';
import { permuteAndFlip, quantile, rankScores } from '#collector/release/mechanisms/permute-and-flip.ts';
import { privateWeights } from '#collector/release/mechanisms/private-weights.ts';
import { type CountingQuery, queryAnswerOf } from '#collector/release/mechanisms/queries.ts';
import type { Random } from '#collector/release/mechanisms/random.ts';
import { meanRangeVariance, ranges } from '#collector/release/mechanisms/ranges.ts';
import { sampleAndAggregate } from '#collector/release/mechanisms/sample-and-aggregate.ts';
import { range } from '../../../proofs/channel.ts';
import { decimal } from './decimal.ts';
import { selectionLaw } from './selection.ts';

/** What a run found: the error that `accuracy` bounds, and the figure whose mean theory gives. */
interface Found {
  readonly error: number;
  readonly figure?: number;
}

/** A mechanism with parameters and data. */
export interface Run {
  readonly name: string;
  readonly what: string;
  readonly draw: (random: Random) => Found;
  readonly bound: (beta: number) => number;
  /** The mean of `figure`, and what it is. */
  readonly expected?: { readonly mean: number; readonly of: 'squared error' | 'error' };
}

const epsilonOf = (epsilon: number) => decimal(epsilon, 'ε');
const largest = (numbers: readonly number[]): number => numbers.reduce((most, x) => Math.max(most, x), 0);

function noiseRun(what: string, noise: NoiseMechanism): Run {
  return {
    name: noise.name,
    what,
    draw: (random) => {
      const error = Math.abs(noise.release(1000, random) - 1000);
      return { error, figure: error };
    },
    bound: noise.accuracy,
    expected: { mean: noise.meanAbsoluteError, of: 'error' },
  };
}

/** E max = Σ_λ P(max > λ). */
function cellsRun(): Run {
  const [epsilon, count] = [1, 50];
  const noise = geometric({ epsilon: epsilonOf(epsilon), sensitivity: 1 });
  const mechanism = cells(noise, count);
  const a = Math.exp(-epsilon);
  const values = range(count);
  return {
    name: 'geometric cells',
    what: '50 cells, ε 1: the largest error',
    draw: (random) => {
      const error = largest(mechanism.release(values, random).map((value, i) => Math.abs(value - i)));
      return { error, figure: error };
    },
    bound: mechanism.accuracy,
    expected: { mean: range(200).reduce((sum, bound) => sum + 1 - (1 - (2 * a ** (bound + 1)) / (1 + a)) ** count, 0), of: 'error' },
  };
}

/** Devices of 20 versions. */
const versions = range(20).map((i) => 400 - 2 * i);

function selectionRun(): Run {
  const [epsilon, monotone] = [0.2, true];
  const mechanism = permuteAndFlip({ epsilon: epsilonOf(epsilon), sensitivity: 1, candidates: versions.length, monotone });
  const best = largest(versions);
  const law = selectionLaw(versions, epsilon);
  return {
    name: 'permute-and-flip',
    what: 'the best of 20 counts, ε 0.2: how far below the best',
    draw: (random) => {
      const error = best - (versions[mechanism.release(versions, random)] as number);
      return { error, figure: error };
    },
    bound: mechanism.accuracy,
    expected: { mean: versions.reduce((sum, count, i) => sum + (law[i] as number) * (best - count), 0), of: 'error' },
  };
}

function quantileRun(): Run {
  const epsilon = 0.1;
  const counts = range(64).map((i) => 3 + ((i * 7) % 5));
  const mechanism = quantile({ epsilon: epsilonOf(epsilon), cells: 64, quantile: ratio(1n, 2n), sensitivity: 1 });
  const scores = rankScores(counts, 1, 2);
  const law = selectionLaw(scores, epsilon / 2);
  const best = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const errorOf = (score: number): number => (best - score) / 2;
  return {
    name: 'quantile',
    what: 'the median of 320 values in 64 cells, ε 0.1: its rank',
    draw: (random) => {
      const error = errorOf(scores[mechanism.release(counts, random)] as number);
      return { error, figure: error };
    },
    bound: mechanism.accuracy,
    expected: { mean: scores.reduce((sum, score, i) => sum + (law[i] as number) * errorOf(score), 0), of: 'error' },
  };
}

/** Counts by day, from a mechanism with this mean variance over all ranges. */
function rangesRun(
  what: string,
  days: number,
  mechanism: Pick<ReleaseMechanism<readonly number[], unknown>, 'name' | 'accuracy'>,
  release: (counts: readonly number[], random: Random) => readonly number[],
  mean: number,
): Run {
  const counts = range(days).map((day) => 100 + (day % 7));
  return {
    name: mechanism.name,
    what,
    draw: (random) => {
      const estimates = release(counts, random);
      // With S the running sums of errors, Σ over all ranges of their squared error is (n+1) ΣS² - (ΣS)².
      const sums = [0];
      let [sum, square] = [0, 0];
      for (const [day, estimate] of estimates.entries()) {
        const next = (sums[day] as number) + estimate - (counts[day] as number);
        sums.push(next);
        sum += next;
        square += next * next;
      }
      const from = random.uniform(days);
      const to = from + 1 + random.uniform(days - from);
      return {
        error: Math.abs((sums[to] as number) - (sums[from] as number)),
        figure: ((days + 1) * square - sum * sum) / ((days * (days + 1)) / 2),
      };
    },
    bound: mechanism.accuracy,
    expected: { mean, of: 'squared error' },
  };
}

function treeRun(days: number): Run {
  const mechanism = ranges({ days, epsilon: epsilonOf(1), sensitivity: 1 });
  const mean = meanRangeVariance(mechanism.design) * mechanism.variance;
  return rangesRun(`${days} days, ε 1: a range`, days, mechanism, (counts, random) => mechanism.release(counts, random).days, mean);
}

function factoredRun(days: number): Run {
  const mechanism = factoredDays({ days, rho: decimal(0.5, 'ρ'), bound: 1 });
  return rangesRun(`${days} days, ρ 0.5: a range`, days, mechanism, mechanism.release, mechanism.variance * mechanism.variances.mean);
}

function analystsRun(): Run {
  const mechanism = multiAnalyst({ epsilon: epsilonOf(0.5), sensitivity: 1, width: 4 });
  return {
    name: mechanism.name,
    what: 'offsets of up to 4, ε 0.5',
    draw: (random) => {
      const error = Math.abs(mechanism.release({ value: 100, offset: mechanism.offset(random) }, random) - 100);
      return { error, figure: error ** 2 };
    },
    bound: mechanism.accuracy,
    expected: { mean: mechanism.variance, of: 'squared error' },
  };
}

function aggregateRun(aggregator: 'mean' | 'median'): Run {
  const [epsilon, blocks, points] = [0.5, 16, 21];
  const of = { epsilon: epsilonOf(epsilon), sensitivity: 1, blocks, low: 0, high: 10, points, aggregator } as const;
  // Every block has the result 5, so the aggregate without noise is 5.
  const mechanism = sampleAndAggregate({ ...of, statistic: () => 5 });
  const scores = rankScores(
    range(points).map((i) => (i === 10 ? blocks : 0)),
    1,
    2,
  );
  const law = selectionLaw(scores, epsilon / 4);
  const sum = geometric({ epsilon: epsilonOf(epsilon), sensitivity: points - 1 });
  return {
    name: mechanism.name,
    what: aggregator === 'mean' ? '16 blocks, 21 points, ε 0.5' : '16 blocks, 21 points, ε 0.5: its rank',
    draw: (random) => {
      const released = mechanism.release([], random);
      const error = aggregator === 'mean' ? Math.abs(released - 5) : (0 - (scores[Math.round(released * 2)] as number)) / 2;
      return { error, figure: error };
    },
    bound: mechanism.accuracy,
    expected: {
      mean:
        aggregator === 'mean'
          ? (sum.meanAbsoluteError / blocks) * 0.5
          : scores.reduce((total, score, i) => total - ((law[i] as number) * score) / 2, 0),
      of: 'error',
    },
  };
}

const worstOf = (queries: readonly CountingQuery[], weights: ArrayLike<number>, counts: readonly number[]): number =>
  largest(queries.map((query) => Math.abs(queryAnswerOf(query, weights) - queryAnswerOf(query, counts))));

function blrRun(): Run {
  const [epsilon, records, total] = [0.1, 10, 200];
  const counts = [101, 58, 30, 11];
  const queries: readonly CountingQuery[] = [[0], [1], [2], [0, 2], [1, 3]];
  const mechanism = blr({ epsilon: epsilonOf(epsilon), sensitivity: 1, cells: 4, total, queries, records });
  // All databases, from the definition.
  const databases = range(11 ** 3)
    .map((i) => [i % 11, Math.floor(i / 11) % 11, Math.floor(i / 121)])
    .map((three) => [...three, records - three.reduce((sum, count) => sum + count, 0)])
    .filter((database) => (database[3] as number) >= 0);
  const errors = databases.map((database) =>
    worstOf(
      queries,
      database.map((count) => (count * total) / records),
      counts,
    ),
  );
  const law = selectionLaw(
    errors.map((error) => 0 - error * records),
    epsilon / (2 * records),
  );
  return {
    name: 'BLR',
    what: '286 databases, 5 queries, ε 0.1: the largest error',
    draw: (random) => {
      const error = worstOf(queries, mechanism.release(counts, random), counts);
      return { error, figure: error };
    },
    bound: mechanism.accuracy,
    expected: { mean: errors.reduce((sum, error, i) => sum + (law[i] as number) * error, 0), of: 'error' },
  };
}

/** A table in which a few cells hold most records. */
export const skewed = (size: number, total: number): readonly number[] => {
  const weights = range(size).map((i) => 1 / (1 + ((i * 7919) % size)));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const counts = weights.map((weight) => Math.floor((total * weight) / sum));
  return counts.with(0, total - counts.reduce((all, count) => all + count, 0) + (counts[0] as number));
};

/** Queries that count an eighth of the cells each, or so. */
export const someQueries = (size: number, count: number): readonly CountingQuery[] =>
  range(count).map((k) => {
    const query = range(size).filter((cell) => (((cell + 1) * 2654435761 + (k + 1) * 40503 * (cell % 97)) >>> 7) % 8 === k % 8);
    return query.length > 0 ? query : [k % size];
  });

function mwemRun(): Run {
  const [size, total] = [32, 20_000];
  const [counts, queries] = [skewed(size, total), someQueries(size, 40)];
  const mechanism = mwem({ epsilon: epsilonOf(1), sensitivity: 1, cells: size, total, queries });
  return {
    name: 'MWEM',
    what: `32 cells, 40 queries, ${mechanism.rounds} rounds, ε 1: the largest error`,
    draw: (random) => ({ error: worstOf(queries, mechanism.release(counts, random), counts) }),
    bound: mechanism.accuracy,
  };
}

/** `lasts` says whether the session must answer all queries. If not, its error is that of the queries that it answers. */
function streamRun(
  mechanism: Interactive,
  what: string,
  counts: readonly number[],
  queries: readonly CountingQuery[],
  lasts: boolean,
): Run {
  return {
    name: mechanism.name,
    what,
    draw: (random) => {
      let [session, error] = [mechanism.open(random), 0];
      for (const query of queries) {
        if (session.left < 1) return { error: lasts ? Number.POSITIVE_INFINITY : error };
        const asked = mechanism.ask(session, query, counts, random);
        session = asked.session;
        error = Math.max(error, Math.abs(asked.answer - queryAnswerOf(query, counts)));
      }
      return { error };
    },
    bound: mechanism.accuracy,
  };
}

const few = [70_000, 20_000, 6_000, 3_000, 1_000, 0];
const fewQueries: readonly CountingQuery[] = range(20).map((i) => range(1 + (i % 4)).map((j) => (i % 3) + j));

const fewOptions = { epsilon: epsilonOf(1), sensitivity: 1, cells: 6, total: 100_000, queries: 20 };
const manyOptions = { epsilon: epsilonOf(1), sensitivity: 1, cells: 32, queries: 40 };

/** Every mechanism. */
export const runs: readonly Run[] = [
  noiseRun('ε 0.1', geometric({ epsilon: epsilonOf(0.1), sensitivity: 1 })),
  noiseRun('ε 1, sensitivity 5', geometric({ epsilon: epsilonOf(1), sensitivity: 5 })),
  noiseRun('ρ 0.5', gaussian({ rho: decimal(0.5, 'ρ'), squaredSensitivity: 1n })),
  noiseRun('ρ 0.001, sensitivity 5', gaussian({ rho: decimal(0.001, 'ρ'), squaredSensitivity: 25n })),
  noiseRun('ε 0.5, sensitivity 10', laplace({ epsilon: epsilonOf(0.5), sensitivity: 10 })),
  cellsRun(),
  selectionRun(),
  quantileRun(),
  treeRun(14),
  treeRun(365),
  factoredRun(60),
  analystsRun(),
  aggregateRun('mean'),
  aggregateRun('median'),
  blrRun(),
  mwemRun(),
  streamRun(medianMechanism({ ...fewOptions, records: 6 }), '462 databases, 20 queries, ε 1: the largest error', few, fewQueries, true),
  streamRun(
    medianMechanism({ ...fewOptions, records: 6, hard: 9 }),
    'the same, 9 hard queries and no promise that they suffice',
    few,
    fewQueries,
    false,
  ),
  streamRun(
    privateWeights({ ...manyOptions, total: 10_000_000 }),
    '32 cells, 40 queries, 10^7 records, ε 1: the largest error',
    skewed(32, 10_000_000),
    someQueries(32, 40),
    true,
  ),
  streamRun(
    privateWeights({ ...manyOptions, total: 100_000, hard: 20 }),
    'the same, 10^5 records, 20 hard queries and no promise',
    skewed(32, 100_000),
    someQueries(32, 40),
    false,
  ),
];
