/**
 * Low bits: Laplace noise that is computed in floating point cannot give every double, and which ones it gives depends on the number below it
 * (Mironov 2012). One output can prove the number. The Laplace mechanism on a grid (laplace.ts) gives the same outputs for all numbers.
 */

import { ratio } from '@murmuration/shared';
import { type Picture, SEED, seededCoins, seededRandom, show } from './attack.ts';
import { percent } from './figure.ts';
import { laplace } from './laplace.ts';
import { isPossible, textbook } from './textbook-laplace.ts';

/** ε 1 for counts, so the noise has the scale 1. */
const SCALE = 1;
const DRAWS = 2000;
const EPSILONS = [0.1, 0.25, 0.5, 1, 2, 4];
const COUNTS = [0, 1, 3, 10, 30, 100, 300, 1000];
/** The strip of the picture: so many doubles from here on. */
const FROM = 3;
const DOUBLES = 60;
const ULP = 2 ** -51;

export const grid: ReturnType<typeof laplace> = laplace({ epsilon: ratio(1n, 1n), sensitivity: 1 });

/** What came out. */
export interface LowBits {
  readonly draws: number;
  /** By count x: outputs that are possible for x, and those that are possible for x + 1 too. */
  readonly textbook: readonly { readonly count: number; readonly own: number; readonly neighbour: number }[];
  /** By ε: outputs for 0 that are possible for 1. */
  readonly epsilons: readonly { readonly epsilon: number; readonly neighbour: number }[];
  /** Outputs of ours for 0 and for 1. */
  readonly ours: readonly [readonly number[], readonly number[]];
  /** Which of the doubles of the strip textbook noise can give for 0 and for 1. */
  readonly strip: readonly (readonly number[])[];
}

/** Whether ours can give this for any whole number: every point of the grid has a probability above 0. */
export const isOnGrid = (output: number): boolean => Number.isInteger(output / grid.step);

/** Carries the attack out. */
export function attack(seed: number): LowBits {
  const coins = seededCoins(seed);
  const random = seededRandom(seed + 1);
  const draw = (count: number, scale = SCALE): number =>
    textbook(count, scale, coins.uniform(2 ** 21) * 2 ** 32 + coins.uniform(2 ** 32), coins.flip(2 ** 31));
  const outputs = (count: number): readonly number[] => Array.from({ length: DRAWS }, () => grid.release(count, random));
  const strip = Array.from({ length: DOUBLES }, (_, i) => i);
  return {
    draws: DRAWS,
    textbook: COUNTS.map((count) => {
      const drawn = Array.from({ length: DRAWS }, () => draw(count));
      const possible = (of: number): number => drawn.filter((output) => isPossible(of, SCALE, output)).length;
      return { count, own: possible(count), neighbour: possible(count + 1) };
    }),
    epsilons: EPSILONS.map((epsilon) => {
      const drawn = Array.from({ length: DRAWS }, () => draw(0, 1 / epsilon));
      return { epsilon, neighbour: drawn.filter((output) => isPossible(1, 1 / epsilon, output)).length };
    }),
    ours: [outputs(0), outputs(1)],
    strip: [0, 1].map((count) => strip.filter((i) => isPossible(count, SCALE, FROM + i * ULP))),
  };
}

/** The share of outputs that prove that the number is not x + 1. */
const provedOf = ({ draws }: LowBits, { neighbour }: { readonly neighbour: number }): number => 1 - neighbour / draws;

/** Draws it. */
export function picture(found: LowBits): Picture {
  const [zero, one] = found.strip as [readonly number[], readonly number[]];
  const both = zero.filter((i) => one.includes(i)).length;
  const first = found.textbook[0] as LowBits['textbook'][number];
  const ours = [...found.ours[0], ...found.ours[1]].filter((output) => !isOnGrid(output)).length / (2 * found.draws);
  return {
    sentence:
      `Of ${DOUBLES} neighbouring doubles, textbook Laplace noise reaches ${zero.length} from a count of 0, ${one.length} from 1 and ` +
      `${both} from both, so ${percent(provedOf(found, first))} of its outputs for 0 prove that the count is not 1; on our grid every ` +
      `output is possible for both.`,
    charts: [
      {
        title: 'Which doubles can come out?',
        x: { title: `doubles from ${FROM} on, in steps of 2⁻⁵¹`, low: -1, high: DOUBLES, ticks: [0, 20, 40, 60] },
        y: { title: 'the count', low: 0, high: 3, ticks: [2.25, 0.75], label: (tick) => (tick > 1.5 ? '0' : '1') },
        series: [
          { name: 'textbook noise, from 0', role: 'attacked', shape: 'sticks', points: zero.map((i) => [i, 2.25]) },
          { name: 'textbook noise, from 1', role: 'other', shape: 'sticks', points: one.map((i) => [i, 0.75]) },
          // Only the first of these doubles is on the grid.
          { name: 'our grid, from both: one of these', role: 'ours', shape: 'dots', points: [2.25, 0.75].map((row) => [0, row] as const) },
        ],
      },
      {
        title: 'What do outputs prove?',
        x: {
          title: 'the count x (0 is drawn at 0.5)',
          low: 0.4,
          high: 1000,
          logarithmic: true,
          ticks: [0.5, 1, 10, 100, 1000],
          label: (x) => (x < 1 ? '0' : x.toLocaleString('en')),
        },
        y: { title: 'outputs that x + 1 cannot give', low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], label: percent },
        series: [
          {
            name: 'textbook noise at ε 1',
            role: 'attacked',
            points: found.textbook.map((each) => [Math.max(0.5, each.count), provedOf(found, each)]),
          },
          {
            name: 'our grid at ε 1',
            role: 'ours',
            points: [
              [0.5, ours],
              [1000, ours],
            ],
          },
        ],
      },
    ],
  };
}

if (import.meta.main) show('low-bits', picture(attack(SEED)));
