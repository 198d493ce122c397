/**
 * What the law of a long list costs, with `longList()` and without: the bytes of a report, the device's time for it, and the closed
 * form of the error over the proven bound of linear unbiased estimates (Pan 2026, arXiv 2603.11523). Then that ratio alone, of
 * every size and ε of a grid.
 */

import { type ListLaw, listLaw, longListLaw, meanVariance, mechanismOf, systemRng, words } from '@murmuration/shared';
import { createCoins } from '#client/random/coins.ts';
import type { Randomize } from '#client/randomizers/randomizer.ts';
import { optimum } from '#collector/estimation/mechanisms/subset.ts';
import { randomizersOf } from '#collector/planning/simulate/lists.ts';
import type { Part } from './part.ts';
import { median } from './quantile.ts';

const MEASURED = [100, 1_024, 10_000, 100_000];
const AT = [0.5, 1, 2, 4];
export const SIZES: readonly number[] = [2, 3, 5, 8, 16, 32, 64, 65, 100, 128, 249, 500, 1_024, 4_096, 10_000, 30_000, 100_000];
export const EPSILONS: readonly number[] = [0.25, 0.35, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8];
const MOST_OVER_BOUND = 1.03;
/** What integers instead of real probabilities may add. */
const ROUNDING = 1e-5;
/** Reports that are timed of each law, after as many that are not. */
const REPORTS = 300;

/** The closed form of the mean squared error over the minimum. */
export const overBound = (law: ListLaw, epsilon: number): number =>
  meanVariance(law.size, mechanismOf(law).support(law)) / optimum(law.size, epsilon).variance;

/** Microseconds from an answer to a report, the median. */
function micros(law: ListLaw): number {
  const draw = randomizersOf(law).randomizers[law.mechanism] as Randomize<ListLaw, number>;
  const coins = createCoins(words(systemRng));
  const times = Array.from({ length: 2 * REPORTS }, (_, i) => {
    const started = performance.now();
    draw(law, (i * 7_919) % law.size, coins);
    return (performance.now() - started) * 1_000;
  });
  return median(times.slice(REPORTS));
}

/** A law in a few words. */
export const lawName = (law: ListLaw): string =>
  law.mechanism === 'subset'
    ? `subset of ${law.subset}`
    : law.mechanism === 'local-hashing'
      ? `local hashing, ${law.buckets} buckets`
      : law.mechanism;

const measured = (law: ListLaw, epsilon: number) => ({
  law,
  bytes: mechanismOf(law).reportBytes(law),
  micros: micros(law),
  overBound: overBound(law, epsilon),
});

/** The law without `longList()`, and with it. */
export function lists(): Part {
  const cells = MEASURED.flatMap((answers) =>
    AT.map((epsilon) => {
      return {
        answers,
        epsilon,
        without: measured(listLaw(answers, epsilon), epsilon),
        with: measured(longListLaw(answers, epsilon), epsilon),
      };
    }),
  );
  const grid = SIZES.map((answers) => EPSILONS.map((epsilon) => overBound(longListLaw(answers, epsilon), epsilon)));
  const failures = grid.flatMap((row, i) =>
    row.flatMap((ratio, j) =>
      ratio <= MOST_OVER_BOUND + ROUNDING
        ? []
        : [`${SIZES[i]} answers at ε = ${EPSILONS[j]}: expected an error of at most ${MOST_OVER_BOUND} of the bound, got ${ratio}`],
    ),
  );
  return {
    title: 'long lists, without longList() and with it: bytes of a report, microseconds of the device, closed form over the bound',
    failures,
    rows: [
      ['answers', 'ε', 'without', 'bytes', 'µs', 'over bound', 'with', 'bytes', 'µs', 'over bound'],
      ...cells.map((cell) => [
        String(cell.answers),
        String(cell.epsilon),
        ...[cell.without, cell.with].flatMap((each) => [
          lawName(each.law),
          String(each.bytes),
          each.micros.toFixed(2),
          each.overBound.toFixed(4),
        ]),
      ]),
      [],
      [`closed form of every list over the bound, at most ${MOST_OVER_BOUND}`],
      ['answers', ...EPSILONS.map((epsilon) => `ε = ${epsilon}`)],
      ...grid.map((row, i) => [String(SIZES[i]), ...row.map((ratio) => ratio.toFixed(4))]),
    ],
    result: { cells, grid: { sizes: SIZES, epsilons: EPSILONS, overBound: grid } },
  };
}
