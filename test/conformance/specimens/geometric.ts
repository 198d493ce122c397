import { type GeometricLaw, geometricLaw } from '@murmuration/shared';
import { randomizeGeometric } from '#client/randomizers/geometric.ts';
import { distribution, indexReport, range } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { rational } from '../../proofs/rational.ts';
import type { NumberSpecimen } from './specimen.ts';

/** The row of a count: the mass of each output is that of all sums that are clamped to it. */
export function geometricRow({ tails }: GeometricLaw, count: number, T: number): Distribution {
  const max = tails.length;
  const tail = (m: number): number => tails[m - 1] as number;
  const inner = (m: number): number => (m === 0 ? T - 2 * tail(1) : tail(m) - tail(m + 1));
  const atEnd = (distance: number): number => (distance === 0 ? T - tail(1) : tail(distance));
  const mass = (j: number): number => (j === 0 ? atEnd(count) : j === max ? atEnd(max - count) : inner(Math.abs(j - count)));
  return distribution(range(max + 1).map((j) => [indexReport(j, max + 1), rational(mass(j), T)]));
}

export const geometric: NumberSpecimen<GeometricLaw> = {
  randomize: (law, count, coins, T) => randomizeGeometric(law, count / law.tails.length, coins, T),
  steps: ({ tails }) => tails.length,
  row: geometricRow,
  encode: ({ tails }, { cells: [cell] }) => indexReport(cell as number, tails.length + 1),
  thresholds: ({ tails }) => tails.map((tail) => [2 ** 32 - tail, []]),
  laws: [geometricLaw(1, 0.01), geometricLaw(2, 1), geometricLaw(3, 4)],
  small: [
    [geometricLaw(1, 1, 256), 256],
    [geometricLaw(3, 2, 2 ** 12), 2 ** 12],
  ],
  large: [geometricLaw(7, 1), geometricLaw(20, 4)],
  at: (e) => geometricLaw(5, e),
  lengths: [geometricLaw(1, 1), geometricLaw(20, 4)],
};
