/**
 * What is drawn of a distribution, over five shapes and four ε: 64 cells, tallies drawn from their exact laws. Errors of the shape (Wasserstein,
 * in percent of the range), of quantiles and of ranges, beside other laws and methods (distribution-rivals.ts), and how often the band holds
 * the truth.
 */

import { type DistributionLaw, type HierarchicalLaw, hierarchicalLaw, type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { type Distribution, drawnOf, quantilePlace } from '#collector/estimation/distribution.ts';
import { distributionOf } from '#collector/estimation/mechanisms/table.ts';
import { consistentShares } from '#collector/estimation/shrunk.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { hierarchicalTally } from '../../kit/coverage/bit-tallies.ts';
import { type Uniform, uniforms } from '../../kit/coverage/drawing.ts';
import { rowsOf } from '../../kit/coverage/drawn.ts';
import { multinomialOf } from '../../kit/coverage/multinomial.ts';
import type { Part } from '../../kit/part.ts';
import { haarWavelet, priplTree, waveByEms } from './distribution-rivals.ts';

const CELLS = 64;
const EPSILONS = [0.5, 1, 2, 4];
const LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95];
/** The drawn shape over that of the square wave as published, in Wasserstein distance: the geometric mean over the grid. */
const MOST = 1;
/** The band's coverage, on average over cells, shapes and rounds. */
const LEAST_COVERED = 0.93;

const bell = (at: number, spread: number) => (place: number) => Math.exp(-0.5 * ((place - at) / spread) ** 2);

const shapes: { readonly [name: string]: (place: number) => number } = {
  uniform: () => 1,
  normal: bell(0.5, 0.15),
  bimodal: (place) => bell(0.25, 0.03)(place) + 0.7 * bell(0.7, 0.03)(place),
  Zipf: (place) => (place * CELLS + 0.5) ** -1.1,
  exponential: (place) => Math.exp(-6 * place),
};

type Having = readonly number[];

const wave = (law: SquareWaveLaw, having: Having, uniform: Uniform): Tallies => {
  const rows = rowsOf(law);
  const cells = new Float64Array(law.grid + law.window);
  having.forEach((count, cell) => {
    multinomialOf(count, rows[cell] as readonly number[], uniform).forEach((more, output) => {
      cells[output] = (cells[output] as number) + more;
    });
  });
  return new Map([[0, { reports: having.reduce((sum, count) => sum + count, 0), cells }]]);
};

const smoothed = (law: DistributionLaw, tallies: Tallies): readonly number[] =>
  (distributionOf(law, tallies) as Distribution).density().shares;

const tree = (law: HierarchicalLaw, having: Having, uniform: Uniform): Tallies => hierarchicalTally(law, having, uniform);

type Method = (having: Having, epsilon: number, uniform: Uniform) => readonly number[];

/** Shares of the cells, by the method that finds them. */
const methods: { readonly [name: string]: Method } = {
  'tree, smoothed': (having, epsilon, uniform) => {
    const law = hierarchicalLaw(CELLS, epsilon);
    return smoothed(law, tree(law, having, uniform));
  },
  'tree of 8, smoothed': (having, epsilon, uniform) => {
    const law = hierarchicalLaw(CELLS, epsilon, 8);
    return smoothed(law, tree(law, having, uniform));
  },
  'tree, consistent': (having, epsilon, uniform) => {
    const law = hierarchicalLaw(CELLS, epsilon);
    return consistentShares(law, tree(law, having, uniform));
  },
  'wave, smoothed': (having, epsilon, uniform) => {
    const law = squareWaveLaw(CELLS, epsilon);
    return smoothed(law, wave(law, having, uniform));
  },
  'wave, EMS': (having, epsilon, uniform) => {
    const law = squareWaveLaw(CELLS, epsilon);
    return waveByEms(law, wave(law, having, uniform));
  },
  'PriPL-Tree': priplTree,
  'Haar wavelet': haarWavelet,
};

const NAMES = Object.keys(methods);

interface Errors {
  readonly wasserstein: number;
  readonly quantiles: number;
  readonly ranges: number;
}

const averageOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** In percent. */
function errorsOf(found: readonly number[], truth: readonly number[]): Errors {
  let below = 0;
  const errors = [0, ...truth.map((share, i) => (below += (found[i] as number) - share))];
  const mean = averageOf(errors);
  return {
    wasserstein: (100 * errors.reduce((sum, error) => sum + Math.abs(error), 0)) / CELLS,
    quantiles: 100 * averageOf(LEVELS.map((level) => Math.abs(quantilePlace(found, level) - quantilePlace(truth, level)))),
    ranges: 100 * Math.sqrt((2 * errors.reduce((sum, error) => sum + (error - mean) ** 2, 0)) / CELLS),
  };
}

interface Cell {
  readonly shape: string;
  readonly epsilon: number;
  readonly methods: { readonly [name: string]: Errors };
  /** Of the tree's band about all users. */
  readonly covered: number;
}

function cellOf(shape: string, epsilon: number, clients: number, rounds: number): Cell {
  const masses = Array.from({ length: CELLS }, (_, i) => (shapes[shape] as (place: number) => number)((i + 0.5) / CELLS));
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  const shares = masses.map((mass) => mass / total);
  const found = Array.from({ length: rounds }, (_, round) => {
    const uniform = uniforms(round + 1);
    const having = multinomialOf(clients, shares, uniform);
    const truth = having.map((count) => count / clients);
    const law = hierarchicalLaw(CELLS, epsilon);
    const { low, high } = drawnOf(distributionOf(law, tree(law, having, uniform), clients) as Distribution);
    return {
      errors: Object.values(methods).map((method) => errorsOf(method(having, epsilon, uniform), truth)),
      covered: averageOf(shares.map((share, i) => Number((low[i] as number) <= share && share <= (high[i] as number)))),
    };
  });
  const mean = (of: keyof Errors, m: number): number => averageOf(found.map(({ errors }) => (errors[m] as Errors)[of]));
  return {
    shape,
    epsilon,
    methods: Object.fromEntries(
      NAMES.map((name, m) => [name, { wasserstein: mean('wasserstein', m), quantiles: mean('quantiles', m), ranges: mean('ranges', m) }]),
    ),
    covered: averageOf(found.map(({ covered }) => covered)),
  };
}

const geometricMean = (numbers: readonly number[]): number => Math.exp(averageOf(numbers.map(Math.log)));

/** The grid, and its geometric means by ε. */
export function distributions(clients: number, rounds: number): Part {
  const cells: Cell[] = [];
  for (const epsilon of EPSILONS) {
    for (const shape of Object.keys(shapes)) {
      cells.push(cellOf(shape, epsilon, clients, rounds));
      process.stderr.write(`${shape} at ε = ${epsilon}\n`);
    }
  }
  const over = (of: keyof Errors, name: string, epsilon?: number): number =>
    geometricMean(
      cells.filter((cell) => epsilon === undefined || cell.epsilon === epsilon).map((cell) => (cell.methods[name] as Errors)[of]),
    );
  const beside = over('wasserstein', 'tree, smoothed') / over('wasserstein', 'wave, EMS');
  const covered = averageOf(cells.map((cell) => cell.covered));
  return {
    title: `distributions as they are drawn, ${clients} reports, ${rounds} seeds: errors in percent of the range, and of all devices for ranges`,
    failures: [
      ...(beside <= MOST ? [] : [`the drawn shape: expected at most ${MOST} of the square wave's, got ${beside.toFixed(3)}`]),
      ...(covered >= LEAST_COVERED ? [] : [`the band: expected to hold at least ${LEAST_COVERED} of cells, got ${covered.toFixed(3)}`]),
    ],
    rows: [
      ['error', 'ε', 'numbers', ...NAMES, 'covered'],
      ...(['wasserstein', 'quantiles', 'ranges'] as const).flatMap((of) =>
        EPSILONS.flatMap((epsilon) => [
          ...(of === 'wasserstein' ? cells.filter((cell) => cell.epsilon === epsilon) : []).map((cell) => [
            of,
            String(epsilon),
            cell.shape,
            ...NAMES.map((name) => (cell.methods[name] as Errors)[of].toFixed(2)),
            cell.covered.toFixed(2),
          ]),
          [of, String(epsilon), 'geometric mean', ...NAMES.map((name) => over(of, name, epsilon).toFixed(2)), ''],
        ]),
      ),
    ],
    result: { cells, beside, covered },
  };
}
