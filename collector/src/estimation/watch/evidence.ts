/**
 * Tests of what a device draws independently of its answer: its cohort, and the number of ones among its bits. A small p-value is evidence
 * of crafted reports or of a broken client. A large one does not prove honesty.
 */

import { type Law, mechanismOf, type ShareLaw } from '@murmuration/shared';
import type { DailyOnes, Tallies } from '../tally.ts';
import { goodness, tailOf } from './classes.ts';

/** Tests that cohorts are drawn uniformly. Reports of one symbol share its cohort, so T of them count as one. */
export function cohortsPValue(law: Law, tallies: Tallies, perDevice: number): number | undefined {
  const { cohorts } = mechanismOf(law).shape(law);
  const counts = Array.from({ length: cohorts }, (_, cohort) => tallies.get(cohort)?.reports ?? 0);
  const mean = counts.reduce((sum, count) => sum + count, 0) / cohorts;
  const found = goodness(
    counts,
    counts.map(() => mean),
    perDevice,
  );
  return found && tailOf(found);
}

/**
 * P(number of ones) for a report of k bits, one of which is the answer's: k - 1 Bernoulli q, from their mode outwards, and one Bernoulli p.
 */
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

/**
 * Tests the number of ones, day by day, for a law in which every answer has one bit: chi-squared, the least p-value over all days times
 * their number.
 */
export function onesPValue(law: ShareLaw, days: readonly DailyOnes[]): number | undefined {
  if (days.length === 0) return undefined;
  const { cells } = mechanismOf(law).shape(law);
  const { p, q } = mechanismOf(law).support(law);
  const chances = weightLaw(cells, p, q);
  const found = days.flatMap(({ reports }) => {
    const total = [...reports.values()].reduce((sum, count) => sum + count, 0);
    const each = goodness(
      chances.map((_, ones) => reports.get(ones) ?? 0),
      chances.map((chance) => chance * total),
      1, // a day has one report of each device
    );
    return each === undefined ? [] : [tailOf(each)];
  });
  return found.length === 0 ? undefined : Math.min(1, Math.min(...found) * found.length);
}
