/** The drawn shares of distributions: they follow the reports where these tell cells apart, are smooth elsewhere, and have a band that holds. */

import { type DistributionLaw, hierarchicalLaw, squareWaveLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import type { Density } from '#collector/estimation/density.ts';
import { type Distribution, drawnOf } from '#collector/estimation/distribution.ts';
import { distributionOf } from '#collector/estimation/mechanisms/table.ts';
import { consistentShares } from '#collector/estimation/shrunk.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { hierarchicalTally } from '../../kit/coverage/bit-tallies.ts';
import { type Uniform, uniforms } from '../../kit/coverage/drawing.ts';
import { drawTally, rowsOf } from '../../kit/coverage/drawn.ts';
import { multinomialOf } from '../../kit/coverage/multinomial.ts';
import { range } from '../../proofs/channel.ts';

const CELLS = 32;

const normed = (masses: readonly number[]): readonly number[] => {
  const total = masses.reduce((a, b) => a + b, 0);
  return masses.map((mass) => mass / total);
};
const bell = normed(range(CELLS).map((i) => Math.exp(-0.5 * ((i - 14) / 5) ** 2)));
const even = normed(range(CELLS).map(() => 1));
const falling = normed(range(CELLS).map((i) => Math.exp(-0.15 * i)));
const peaks = normed(range(CELLS).map((i) => (i === 8 || i === 22 ? 1 : 0.001)));

const tree = hierarchicalLaw(CELLS, 1);
const laws: {
  readonly [name: string]: (shares: readonly number[], devices: number, uniform: Uniform) => readonly [DistributionLaw, Tallies];
} = {
  tree: (shares, devices, uniform) => [tree, hierarchicalTally(tree, multinomialOf(devices, shares, uniform), uniform)],
  wave: (shares, devices, uniform) => {
    const law = squareWaveLaw(CELLS, 1);
    return [law, drawTally({ shares, rows: rowsOf(law) }, devices, uniform).tallies];
  },
};

const densityOf = (law: DistributionLaw, tallies: Tallies, people?: number): Density =>
  drawnOf(distributionOf(law, tallies, people) as Distribution);

/** ∫ |F^ - F|, relative to the range. */
function apart(found: readonly number[], truth: readonly number[]): number {
  let [below, sum] = [0, 0];
  for (const [i, share] of truth.entries()) {
    below += (found[i] as number) - share;
    sum += Math.abs(below);
  }
  return sum / truth.length;
}

describe.each(Object.entries(laws))('of the %s', (_, draw) => {
  test('they are positive, sum to 1, and lie in their band', () => {
    for (const shares of [bell, even, peaks]) {
      const { shares: found, low, high } = densityOf(...draw(shares, 20_000, uniforms(3)));
      expect(found.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
      for (const [i, share] of found.entries()) {
        expect(share).toBeGreaterThan(0);
        expect(low[i] as number).toBeLessThanOrEqual(share);
        expect(high[i] as number).toBeGreaterThanOrEqual(share);
      }
    }
  });

  test('from very many reports they are the truth, peaks too', () => {
    for (const shares of [bell, falling, peaks]) {
      const { shares: found } = densityOf(...draw(shares, 1e9, uniforms(4)));
      for (const [i, share] of shares.entries()) expect(Math.abs((found[i] as number) - share)).toBeLessThan(0.002);
    }
  });

  test('even numbers are drawn even: the highest column is at most a third above the lowest', () => {
    const { shares: found } = densityOf(...draw(even, 100_000, uniforms(5)));
    expect(Math.max(...found) / Math.min(...found)).toBeLessThan(4 / 3);
  });

  // The mean coverage of a round has a standard error of about 0.012 over these 60 rounds: six of them below 0.95 is 0.878.
  test('the band holds the shares of all users in 95 % of cells, on average', () => {
    const covered = [bell, even, falling].flatMap((shares, s) =>
      range(20).map((round) => {
        const { low, high } = densityOf(...draw(shares, 20_000, uniforms(100 * s + round)), 20_000);
        return shares.filter((share, i) => (low[i] as number) <= share && share <= (high[i] as number)).length / CELLS;
      }),
    );
    expect(covered.reduce((a, b) => a + b, 0) / covered.length).toBeGreaterThan(0.878);
  });
});

// Each of 40 rounds would be a fair coin if smoothing changed nothing: 36 or more heads have a probability below 1e-7.
test('smoothing brings a tree nearer to the truth than the agreement of its levels does', () => {
  const nearer = [bell, falling].flatMap((shares, s) =>
    range(20).map((round) => {
      const uniform = uniforms(1_000 * s + round);
      const having = multinomialOf(20_000, shares, uniform);
      const truth = having.map((count) => count / 20_000);
      const tallies = hierarchicalTally(tree, having, uniform);
      return Number(apart(densityOf(tree, tallies).shares, truth) < apart(consistentShares(tree, tallies), truth));
    }),
  );
  expect(nearer.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(36);
});

test('a tally read from right to left has the same shares, from right to left', () => {
  const law = squareWaveLaw(CELLS, 2);
  const { tallies } = drawTally({ shares: falling, rows: rowsOf(law) }, 5_000, uniforms(6));
  const { reports, cells } = tallies.get(0) as { reports: number; cells: Float64Array };
  const mirrored = new Map([[0, { reports, cells: cells.toReversed() }]]);
  const [there, back] = [densityOf(law, tallies), densityOf(law, mirrored)];
  for (const [i, share] of there.shares.entries()) expect(back.shares[CELLS - 1 - i]).toBeCloseTo(share, 6);
  for (const [i, low] of there.low.entries()) expect(back.low[CELLS - 1 - i]).toBeCloseTo(low, 6);
});
