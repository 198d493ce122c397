/** Mechanisms that a mean can name. Each carries its randomizer: a bundle holds those that an app imports, and no others. */

import { hybridMeanLaw, laplaceLaw, piecewiseLaw, steppedLaw } from '@murmuration/shared';
import type { MeanMechanism } from './numbers.ts';
import { randomizeHybrid } from './randomizers/hybrid.ts';
import { randomizeLaplace } from './randomizers/laplace.ts';
import { randomizePiecewise } from './randomizers/piecewise.ts';

/** The mechanism of Duchi et al., 1BitMean: one of the two ends. `mean([0, 60], { epsilon: 1, description: '...', mechanism: duchi() })` */
export const duchi = (): MeanMechanism => ({
  takes: 'mean',
  law: (_size, epsilon) => piecewiseLaw(1, 1, epsilon),
  randomizers: { piecewise: randomizePiecewise },
});

/** The piecewise mechanism, on the grid of 2 to 64 steps and with the window that have the least worst-case variance. */
export const piecewise = (): MeanMechanism => ({
  takes: 'mean',
  law: (_size, epsilon) => steppedLaw(epsilon),
  randomizers: { piecewise: randomizePiecewise },
});

/** The hybrid of both: one or the other at random, so that no number has more variance than another. */
export const hybrid = (): MeanMechanism => ({
  takes: 'mean',
  law: (_size, epsilon) => hybridMeanLaw(epsilon),
  randomizers: { hybrid: randomizeHybrid },
});

/** Laplace noise on a grid of so many steps, 64 when left out: two-sided geometric noise from integers. */
export const laplace = ({ steps }: { readonly steps?: number } = {}): MeanMechanism => ({
  takes: 'mean',
  law: (_size, epsilon) => laplaceLaw(epsilon, steps),
  randomizers: { laplace: randomizeLaplace },
});
