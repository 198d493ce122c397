/** Colluders average their answers to one question: how many it takes to come within an error bound, with and without offsets. */

import { seededRng, words } from '@murmuration/client/testing';
import { multiAnalyst } from '#collector/release/mechanisms/multi-analyst.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { decimal } from '#collector/release/mechanisms/spending.ts';
import type { Chart } from './chart.ts';

const BOUNDS = [0.75, 1, 1.5, 2, 3, 4] as const;
const WIDTHS = [0, 4, 8] as const;
const [EPSILON, BETA, RUNS] = [0.5, 0.05, 1000] as const;

/** One bound and one width. */
interface Collusion {
  readonly width: number;
  readonly bound: number;
  /** By the formula. */
  readonly needed: number;
  /** By runs: the least number of analysts for which 95 % are within the bound, found by halving. */
  readonly measured: number;
}

/** The attack for each width and bound. */
export function collusion(): readonly Collusion[] {
  const random = createRandom(words(seededRng(43)));
  return WIDTHS.flatMap((width) => {
    const mechanism = multiAnalyst({ epsilon: decimal(EPSILON, 'ε'), sensitivity: 1, width });
    const within = (analysts: number, bound: number): boolean => {
      let hits = 0;
      for (let run = 0; run < RUNS; run++) {
        let sum = 0;
        for (let i = 0; i < analysts; i++) sum += mechanism.release({ value: 0, offset: mechanism.offset(random) }, random);
        hits += Number(Math.abs(sum / analysts) <= bound);
      }
      return hits / RUNS >= 1 - BETA;
    };
    return BOUNDS.map((bound) => {
      const needed = mechanism.colluders(bound, BETA).withOffsets;
      let [low, high] = [1, 2 * needed + 2];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if (within(middle, bound)) high = middle;
        else low = middle + 1;
      }
      return { width, bound, needed, measured: low };
    });
  });
}

const COLOURS = ['#1f6f8b', '#b7791f', '#c0392b'] as const;

/** The picture. */
export const collusionChart = (all: readonly Collusion[]): Chart => ({
  title: 'Offsets make collusion costlier, and never stop it',
  x: { name: 'error bound, devices', ticks: [0.75, 1, 1.5, 2, 3, 4], logarithmic: true },
  y: {
    name: 'colluders needed to be within the bound in 95 % of cases (lines: formula, points: runs)',
    ticks: [1, 3, 10, 30, 100, 300],
    logarithmic: true,
  },
  lines: WIDTHS.map((width, i) => {
    const own = all.filter((each) => each.width === width);
    return {
      name: width === 0 ? 'no offset' : `offsets up to ${width}`,
      colour: COLOURS[i] as string,
      line: own.map((each) => [each.bound, each.needed]),
      points: own.map((each) => [each.bound, each.measured]),
    };
  }),
});
