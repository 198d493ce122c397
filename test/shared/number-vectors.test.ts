/** The vectors of means and counts, made by an independent script from docs/format.md, hold for the shipped code. */

import {
  countLaw,
  distributionLaw,
  geometricLaw,
  hierarchicalLaw,
  hybridLaw,
  hybridMeanLaw,
  type Law,
  laplaceLaw,
  meanLaw,
  piecewiseLaw,
  squareWaveLaw,
  steppedLaw,
} from '@murmuration/shared';
import { type LawCase, readVectors, testLaws, testRefused } from './law-vectors.ts';

interface Case extends LawCase {
  readonly table: string;
  readonly mechanism: string;
  readonly grid: number;
  readonly window: number;
  readonly max: number;
  readonly cells: number;
  readonly branching?: number;
  readonly epsilon: number;
}

const { refused = [], ...tables } = readVectors<{ readonly [table: string]: readonly Case[] }>('numbers');

const named: { readonly [mechanism: string]: (epsilon: number) => Law } = {
  hybrid: hybridMeanLaw,
  piecewise: steppedLaw,
  laplace: laplaceLaw,
};

const derive: { readonly [table: string]: (of: Case) => Law } = {
  piecewise: ({ grid, window, epsilon }) => piecewiseLaw(grid, window, epsilon),
  mean: ({ epsilon }) => meanLaw(epsilon),
  count: ({ max, epsilon }) => countLaw(max, epsilon),
  geometric: ({ max, epsilon }) => geometricLaw(max, epsilon),
  distribution: ({ cells, epsilon }) => distributionLaw(cells, epsilon),
  hierarchical: ({ cells, epsilon, branching }) => hierarchicalLaw(cells, epsilon, branching),
  hybrid: ({ grid, window, epsilon }) => hybridLaw(grid, window, epsilon),
  named: ({ mechanism, epsilon }) => named[mechanism]?.(epsilon) as Law,
  squareWave: ({ cells, epsilon }) => squareWaveLaw(cells, epsilon),
};

testLaws(tables, derive);
testRefused(refused, (of) => derive[of.table]?.(of));
