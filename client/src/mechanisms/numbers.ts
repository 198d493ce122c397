/** Mechanisms for a mean, a count or a distribution, chosen by name. Each carries its randomizer. */

import {
  hierarchicalLaw,
  hybridMeanLaw,
  type Law,
  laplaceLaw,
  namedGeometric,
  piecewiseLaw,
  squareWaveLaw,
  steppedLaw,
} from '@murmuration/shared';
import type { CountMechanism } from '../questions/count.ts';
import type { DistributionMechanism } from '../questions/distribution.ts';
import type { MeanMechanism } from '../questions/mean.ts';
import * as randomizing from '../randomizers/mechanisms.ts';

/** The law of a mean. No mechanism that can be named has a second stage. */
const once =
  (law: (epsilon: number) => Law): MeanMechanism['law'] =>
  (_size, epsilon, _devices, permanent) => {
    if (permanent) throw new RangeError('mechanism: expected none where a mean is permanent, got one without a second stage');
    return law(epsilon);
  };

/**
 * The mechanism of Duchi et al. (1BitMean): reports one of the two ends. `mean([0, 60], { epsilon: 1, description: '...', mechanism:
 * duchi() })`
 */
export const duchi = (): MeanMechanism => ({
  takes: 'mean',
  law: once((epsilon) => piecewiseLaw(1, 1, epsilon)),
  ...randomizing.piecewise,
});

/** The piecewise mechanism, on the grid of 2 to 64 steps and with the window that give the least worst-case variance. */
export const piecewise = (): MeanMechanism => ({
  takes: 'mean',
  law: once(steppedLaw),
  ...randomizing.piecewise,
});

/** The hybrid of both: picks one of them at random, which evens out the variance over all numbers. */
export const hybrid = (): MeanMechanism => ({
  takes: 'mean',
  law: once(hybridMeanLaw),
  ...randomizing.hybrid,
});

/** Laplace noise on a grid of `steps` steps, 64 by default: two-sided geometric noise computed in integers. */
export const laplace = ({ steps }: { readonly steps?: number } = {}): MeanMechanism => ({
  takes: 'mean',
  law: once((epsilon) => laplaceLaw(epsilon, steps)),
  ...randomizing.laplace,
});

/**
 * Two-sided geometric noise for a count, chosen by name. `count(20, { epsilon: 1, description: 'How many notes?', mechanism: geometric()
 * })`
 */
export const geometric = (): CountMechanism => ({ ...namedGeometric, ...randomizing.geometric });

/**
 * Hierarchical intervals for a distribution, chosen by name.
 *
 * @param branching the number of parts that each part of the range is divided into; by default determined by ε and the number of cells
 * @example distribution([0, 60], { epsilon: 8, description: 'How many minutes a day?', mechanism: hierarchical() })
 */
export const hierarchical = ({ branching }: { readonly branching?: number } = {}): DistributionMechanism => ({
  takes: 'distribution',
  law: (cells, epsilon) => hierarchicalLaw(cells, epsilon, branching),
  ...randomizing.hierarchical,
});

/**
 * The square wave for a distribution, chosen by name, with the window of its paper. A report is a place near the number, in one or two
 * bytes.
 */
export const squareWave = (): DistributionMechanism => ({
  takes: 'distribution',
  law: (cells, epsilon) => squareWaveLaw(cells, epsilon),
  ...randomizing.squareWave,
});
