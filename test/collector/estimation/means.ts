/** Tallies of random numbers from the shipped randomizers, and whether intervals hold the mean of those numbers. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { MODULUS, meanLaw, mechanismOf, type PiecewiseLaw } from '@murmuration/shared';
import { expect } from 'vitest';
import { randomizePiecewise } from '#client/randomizers/piecewise.ts';
import { randomizeScored } from '#client/randomizers/scored.ts';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { numberEstimates } from '#collector/estimation/number.ts';
import { range } from '../../proofs/channel.ts';

export const MEAN_EPSILONS: readonly number[] = [0.5, 1, 2, 4, 8];

type MeanLaw = ReturnType<typeof meanLaw>;

/** The tally of so many numbers, and their mean. */
export const counted = (law: MeanLaw | PiecewiseLaw, place: () => number, reports: number, coins: ReturnType<typeof createCoins>) => {
  const { decode, shape } = mechanismOf(law);
  const cells = new Float64Array(shape(law).cells);
  let total = 0;
  for (let i = 0; i < reports; i++) {
    const number = place();
    total += number / reports;
    const [cell] = decode(
      law,
      law.mechanism === 'scored' ? randomizeScored(law, number, coins) : randomizePiecewise(law, number, coins),
    ).cells;
    cells[cell as number] = (cells[cell as number] as number) + 1;
  }
  return { cells, total };
};

/** Fails where intervals of so many rounds cover too seldom: five standard errors below 95 %, which a correct system does with a probability below 1e-6. */
export function expectCovered(epsilon: number, rounds: number): void {
  const law = meanLaw(epsilon);
  const scores = scoresOf(law);
  const word = words(seededRng(20));
  const coins = createCoins(word);
  const reports = 300;
  const populations = [() => 0, () => 0.5, () => 0.9, () => (word() < MODULUS / 10 ? 1 : 0), () => word() / MODULUS];
  for (const place of populations) {
    const covered = range(rounds).filter(() => {
      const { cells, total } = counted(law, place, reports, coins);
      const [row] = numberEstimates(scores, new Map([[0, { reports, cells }]]));
      return row && row.low <= total && total <= row.high;
    }).length;
    expect(covered / rounds).toBeGreaterThan(0.95 - 5 * Math.sqrt((0.95 * 0.05) / rounds));
  }
}
