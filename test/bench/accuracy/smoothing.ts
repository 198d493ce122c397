/**
 * The smoothed shares of the square wave, over five shapes and four ε: 64 cells, through the shipping randomizer. Errors are roots of the mean
 * squared error of the share of a range, over all ranges and rounds, in percentage points, beside those of fixed strengths on the same tallies.
 */

import { distribution } from '@murmuration/client';
import { squareWave } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { expectationMaximization, smoothedShares } from '#collector/estimation/square-wave-shares.ts';
import { deviceOf, folderOf, sampler } from '#collector/planning/simulate/simulation.ts';
import type { Part } from '../../kit/part.ts';

const CELLS = 64;
const EPSILONS = [0.5, 1, 2, 4];
const STRENGTHS = [0, 0.002, 0.01, 0.05, 0.25];
/** Percentage points, the geometric mean over the grid. */
const MOST = 0.65;

const bell = (at: number, spread: number) => (place: number) => Math.exp(-0.5 * ((place - at) / spread) ** 2);

const shapes: { readonly [name: string]: (place: number) => number } = {
  uniform: () => 1,
  normal: bell(0.5, 0.15),
  bimodal: (place) => bell(0.25, 0.03)(place) + 0.7 * bell(0.7, 0.03)(place),
  Zipf: (place) => (place * CELLS + 0.5) ** -1.1,
  exponential: (place) => Math.exp(-6 * place),
};

/** The mean squared error over all ranges between two of the edges. */
function rangeError(found: ArrayLike<number>, truth: readonly number[]): number {
  let below = 0;
  const errors = [0, ...truth.map((share, i) => (below += (found[i] as number) - share))];
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  return (2 * errors.reduce((sum, error) => sum + (error - mean) ** 2, 0)) / (errors.length - 1);
}

/** Tallies of so many reports each, and what their numbers truly were. */
function* tallies(shares: readonly number[], epsilon: number, clients: number, rounds: number) {
  const question = distribution([0, 1], { epsilon, cells: CELLS, description: 'simulated', mechanism: squareWave() });
  const law = squareWaveLaw(CELLS, epsilon);
  for (let round = 1; round <= rounds; round++) {
    const word = words(seededRng(round));
    const draw = sampler(shares, () => word() / 2 ** 32);
    const { randomize } = deviceOf(question, law, createCoins(word));
    const [folder, truth] = [folderOf(law), Array<number>(CELLS).fill(0)];
    for (let i = 0; i < clients; i++) {
      const cell = draw();
      truth[cell] = (truth[cell] as number) + 1 / clients;
      folder.addReport(randomize(cell));
    }
    yield { law, truth, counts: folder.tallies().get(0)?.cells as Float64Array };
  }
}

interface Errors {
  readonly shape: string;
  readonly epsilon: number;
  readonly smoothed: number;
  /** The strength that is best for each tally, which nobody can know. */
  readonly oracle: number;
  readonly fixed: readonly number[];
}

function errorsOf(shape: string, epsilon: number, clients: number, rounds: number): Errors {
  const masses = Array.from({ length: CELLS }, (_, i) => (shapes[shape] as (place: number) => number)((i + 0.5) / CELLS));
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  const found = [
    ...tallies(
      masses.map((mass) => mass / total),
      epsilon,
      clients,
      rounds,
    ),
  ].map(({ law, truth, counts }: { law: SquareWaveLaw; truth: readonly number[]; counts: Float64Array }) => ({
    smoothed: rangeError(smoothedShares(law, counts), truth),
    fixed: STRENGTHS.map((strength) => rangeError(expectationMaximization(law, counts, strength), truth)),
  }));
  const root = (errors: readonly number[]): number => 100 * Math.sqrt(errors.reduce((sum, error) => sum + error, 0) / rounds);
  return {
    shape,
    epsilon,
    smoothed: root(found.map(({ smoothed }) => smoothed)),
    oracle: root(found.map(({ fixed }) => Math.min(...fixed))),
    fixed: STRENGTHS.map((_, i) => root(found.map(({ fixed }) => fixed[i] as number))),
  };
}

const geometricMean = (numbers: readonly number[]): number => Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);

/** The grid, and its geometric means. */
export function smoothing(clients: number, rounds: number): Part {
  const cells = Object.keys(shapes).flatMap((shape) => EPSILONS.map((epsilon) => errorsOf(shape, epsilon, clients, rounds)));
  const columns = (of: (errors: Errors) => number): number => geometricMean(cells.map(of));
  const means: Errors = {
    shape: 'geometric mean',
    epsilon: Number.NaN,
    smoothed: columns(({ smoothed }) => smoothed),
    oracle: columns(({ oracle }) => oracle),
    fixed: STRENGTHS.map((_, i) => columns(({ fixed }) => fixed[i] as number)),
  };
  return {
    title: `range errors of the square wave's smoothed shares, percentage points, ${clients} reports, ${rounds} seeds; then fixed strengths, and the best of them by tally`,
    failures:
      means.smoothed <= MOST
        ? []
        : [`smoothed shares: expected a geometric mean of at most ${MOST} points, got ${means.smoothed.toFixed(3)}`],
    rows: [
      [
        'numbers',
        'ε',
        'smoothed',
        ...STRENGTHS.map((strength) => (strength === 0 ? 'EM' : strength === 0.25 ? 'EMS' : String(strength))),
        'oracle',
      ],
      ...[...cells, means].map(({ shape, epsilon, smoothed, fixed, oracle }) => [
        shape,
        Number.isNaN(epsilon) ? '' : String(epsilon),
        ...[smoothed, ...fixed, oracle].map((error) => error.toFixed(2)),
      ]),
    ],
    result: { cells, smoothed: means.smoothed, oracle: means.oracle, fixed: means.fixed },
  };
}
