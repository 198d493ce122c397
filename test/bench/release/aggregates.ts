/**
 * Sample and aggregate against noise for counts, from which the same number can be computed: a share, and the association of two columns of
 * which one has rare values.
 */

import { seededRng, words } from '@murmuration/client/testing';
import { cramersV } from '#collector/estimation/statistics/cramers-v.ts';
import { associationBy } from '#collector/release/measures/association.ts';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { sampleAndAggregate } from '#collector/release/mechanisms/sample-and-aggregate.ts';
import { decimal } from '../../collector/release/mechanisms/decimal.ts';

const TRIALS = 100;

/** The mean error over the trials. */
function errorOf(truth: number, draw: () => number): number {
  let sum = 0;
  for (let i = 0; i < TRIALS; i++) sum += Math.abs(draw() - truth);
  return sum / TRIALS;
}

const SHARES = [
  { reports: 200, epsilon: '1' },
  { reports: 1_000, epsilon: '0.1' },
  { reports: 1_000, epsilon: '1' },
  { reports: 10_000, epsilon: '0.1' },
  { reports: 100_000, epsilon: '0.1' },
] as const;
const SHARE = 0.3;

/** A row for each number of reports. Sample and aggregate has the number of blocks with which it errs least. */
export function shares(): readonly (readonly string[])[] {
  const random = createRandom(words(seededRng(31)));
  const rows = SHARES.map(({ reports, epsilon: text }) => {
    const epsilon = decimal(text, 'ε');
    const counts = [SHARE * reports, (1 - SHARE) * reports];
    const noise = cells(geometric({ epsilon, sensitivity: 1 }), 2);
    const byCounts = errorOf(SHARE, () => {
      const [of = 0, rest = 0] = noise.release(counts, random).map((count) => Math.max(0, count));
      return of + rest > 0 ? of / (of + rest) : 1 / 2;
    });
    const byBlocks = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048].map((blocks) => {
      const mechanism = sampleAndAggregate({
        ...{ epsilon, sensitivity: 1, blocks, low: 0, high: 1, points: 1001, aggregator: 'mean' },
        statistic: ({ cells: found, counts: parts }) => {
          const all = parts.reduce((sum, part) => sum + part, 0);
          return found[0] === 0 ? (parts[0] as number) / all : 0;
        },
      });
      return { blocks, error: errorOf(SHARE, () => mechanism.release(counts, random)) };
    });
    const best = byBlocks.reduce((least, each) => (each.error < least.error ? each : least));
    return [`${reports}, ε ${text}`, byCounts.toFixed(4), best.error.toFixed(4), `${best.blocks}`, (best.error / byCounts).toFixed(0)];
  });
  return [[`a share of ${SHARE}, reports`, 'two counts', 'sample and aggregate', 'with blocks', 'times the error'], ...rows];
}

const ROWS = 12;
const COLUMNS = 6;
/** The share of a value of that of the value before it. */
const FALLS = 0.7;

const weights = (values: number, used: number): readonly number[] => {
  const raw = Array.from({ length: values }, (_, i) => (i < used * values ? FALLS ** i : 0));
  const sum = raw.reduce((all, weight) => all + weight, 0);
  return raw.map((weight) => weight / sum);
};

/** Versions and platforms, with the part of the values that are used, and the part of a version's reports that are on its own platform. */
function table({ reports, used, related }: { reports: number; used: number; related: number }, random: Random): readonly number[] {
  const [byRow, byColumn] = [weights(ROWS, used), weights(COLUMNS, used)];
  const platforms = Math.ceil(used * COLUMNS);
  const expected = byRow.flatMap((row, r) =>
    byColumn.map((column, c) => reports * row * ((1 - related) * column + (r % platforms === c ? related : 0))),
  );
  return expected.map((mean) => Math.floor(mean) + Number(random.uniform(2 ** 32) / 2 ** 32 < mean % 1));
}

const TABLES = [
  { reports: 20_000, epsilon: '1', used: 1, related: 0 },
  { reports: 20_000, epsilon: '1', used: 0.5, related: 0 },
  { reports: 20_000, epsilon: '1', used: 0.5, related: 0.3 },
  { reports: 200_000, epsilon: '0.1', used: 1, related: 0 },
  { reports: 200_000, epsilon: '0.1', used: 0.5, related: 0 },
  { reports: 200_000, epsilon: '0.1', used: 0.5, related: 0.3 },
] as const;

/** A row for each table: the error of V from blocks, from noisy cells above 0, and from those above what noise alone reaches with 5 %. */
export function associations(): readonly (readonly string[])[] {
  const random = createRandom(words(seededRng(32)));
  const vOf = (counts: readonly number[]): number => {
    const held = counts.map((count, cell) => ({ count, cell })).filter(({ count }) => count > 0);
    return cramersV({ cells: held.map(({ cell }) => cell), counts: held.map(({ count }) => count) }, COLUMNS);
  };
  const rows = TABLES.map((of) => {
    const { reports, epsilon: text, used } = of;
    const epsilon = decimal(text, 'ε');
    const counts = table(of, random);
    const truth = vOf(counts);
    const { mechanism, blocks } = associationBy({ epsilon, sensitivity: 1, columns: COLUMNS });
    const noise = geometric({ epsilon, sensitivity: 1 });
    const noisy = cells(noise, ROWS * COLUMNS);
    const byBlocks = errorOf(truth, () => Math.min(1, Math.max(0, mechanism.release(counts, random))));
    const [all, clear] = [0, noisy.accuracy(0.05)].map((least) =>
      errorOf(truth, () => vOf(noisy.release(counts, random).map((count) => (count > least ? count : 0)))),
    ) as [number, number];
    return [
      `${reports}, ε ${text}`,
      used === 1 ? 'all' : 'half of both',
      truth.toFixed(2),
      `${blocks} of ${Math.floor(reports / blocks)}`,
      byBlocks.toFixed(3),
      mechanism.accuracy(0.05).toFixed(3),
      all.toFixed(3),
      clear.toFixed(3),
    ];
  });
  const head = ['values in use', 'V', 'blocks', 'sample and aggregate', 'stated noise', 'noisy cells', 'clear ones only'];
  return [[`${ROWS} × ${COLUMNS} values, reports`, ...head], ...rows];
}
