/**
 * Whether reports can have come through the law, whatever the answers are: three tests, each of a thing that a population
 * can't move. A small p-value is evidence of crafted reports, or of a broken client; a large one is none of honesty.
 */

import { type Law, mechanismOf } from '@murmuration/shared';
import { chiSquaredTail } from '../statistics/chiSquared.ts';
import type { Tallies, Weights } from '../store/store.ts';
import { pureOf } from './leverage.ts';

/**
 * Fewer expected devices than this are pooled: chi squared is an approximation. With 2 to 50
 * classes of 20 each, the exact p-value (of all counts, by convolution) is at most 1.16 times 1e-4 there, 1.75 times 1e-6.
 */
const LEAST_EXPECTED = 20;

/** n KL(c ‖ p) of shares, the exponent of a binomial tail's bound; 0 where c = p. */
function divergence(c: number, p: number): number {
  const term = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b));
  return Math.max(0, term(c, p) + term(1 - c, 1 - p));
}

/**
 * Balance of cells. A report sets a cell with a probability from q to p, whoever sends it, so of n reports fewer than nq
 * or more than np do with probability at most exp(-n KL) (Hoeffding 1963, theorem 1). Each side of each cell is a test of
 * its own, so the least of these bounds is multiplied by twice the number of cells (Bonferroni). T reports
 * of one symbol count as one: the bound holds for n/T.
 */
export function cellsPValue(law: Law, tallies: Tallies, perDevice: number): number | undefined {
  const pure = pureOf(law);
  if (pure === undefined) return undefined;
  const { p, q } = pure.support(law);
  let [least, cells] = [1, 0];
  for (const { reports, cells: counts } of tallies.values()) {
    cells += counts.length;
    for (const count of counts) {
      const share = count / reports;
      const bound = share < q ? divergence(share, q) : share > p ? divergence(share, p) : 0;
      least = Math.min(least, Math.exp((-reports / perDevice) * bound));
    }
  }
  return cells === 0 ? undefined : Math.min(1, least * 2 * cells);
}

/**
 * Pearson's statistic of counts of symbols, T reports of each, against expectations of these counts; neighbours are pooled
 * until enough devices are expected. Undefined with one class.
 *
 * A symbol that adds m <= T reports to its class adds m² times the covariance of one report, so that of all is at most T times
 * that of as many independent reports, and the statistic is divided by T; it is as near to chi squared as one of devices.
 */
function goodness(
  counts: readonly number[],
  expected: readonly number[],
  perDevice: number,
): { readonly statistic: number; readonly degrees: number } | undefined {
  const classes: { count: number; expected: number }[] = [];
  let open = { count: 0, expected: 0 };
  counts.forEach((count, i) => {
    open.count += count;
    open.expected += expected[i] as number;
    if (open.expected < LEAST_EXPECTED * perDevice) return;
    classes.push(open);
    open = { count: 0, expected: 0 };
  });
  const last = classes.at(-1);
  if (last === undefined || classes.length < 2) return undefined;
  last.count += open.count;
  last.expected += open.expected;
  const statistic = classes.reduce((sum, each) => sum + (each.count - each.expected) ** 2 / each.expected, 0);
  return { statistic: statistic / perDevice, degrees: classes.length - 1 };
}

/** Balance of cohorts: each symbol's is drawn uniformly. Reports of one symbol share it, so T of them count as one. */
export function cohortsPValue(law: Law, tallies: Tallies, perDevice: number): number | undefined {
  const { cohorts } = mechanismOf(law).shape(law);
  const counts = Array.from({ length: cohorts }, (_, cohort) => tallies.get(cohort)?.reports ?? 0);
  const mean = counts.reduce((sum, count) => sum + count, 0) / cohorts;
  const found = goodness(
    counts,
    counts.map(() => mean),
    perDevice,
  );
  return found && chiSquaredTail(found.statistic, found.degrees);
}

/** P(so many ones) of a report of k bits of which one is the answer's: k - 1 Bernoulli q, from their mode outwards, and a Bernoulli p. */
function weightLaw(bits: number, p: number, q: number): readonly number[] {
  const others = bits - 1;
  const chances = new Float64Array(bits);
  const mode = Math.min(others, Math.floor(bits * q));
  chances[mode] = 1;
  for (let i = mode; i < others; i++) chances[i + 1] = ((chances[i] as number) * (others - i) * q) / ((i + 1) * (1 - q));
  for (let i = mode; i > 0; i--) chances[i - 1] = ((chances[i] as number) * i * (1 - q)) / ((others - i + 1) * q);
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  return Array.from({ length: bits + 1 }, (_, ones) => ((chances[ones] ?? 0) * (1 - p) + (chances[ones - 1] ?? 0) * p) / total);
}

/** The number of ones, day by day, of laws whose every answer has one bit: chi squared, the least of all days times their number. */
export function weightsPValue(law: Law, days: readonly Weights[]): number | undefined {
  const isOneBit = law.mechanism === 'unary' || (law.mechanism === 'rappor' && law.hashes === 1);
  if (!isOneBit || days.length === 0) return undefined;
  const { cells } = mechanismOf(law).shape(law);
  const { p, q } = mechanismOf(law).support(law);
  const chances = weightLaw(cells, p, q);
  const found = days.flatMap(({ reports }) => {
    const total = [...reports.values()].reduce((sum, count) => sum + count, 0);
    const each = goodness(
      chances.map((_, ones) => reports.get(ones) ?? 0),
      chances.map((chance) => chance * total),
      1, // a day holds one report of a device
    );
    return each === undefined ? [] : [chiSquaredTail(each.statistic, each.degrees)];
  });
  return found.length === 0 ? undefined : Math.min(1, Math.min(...found) * found.length);
}
