/** The scores of the Laplace mechanism on a grid: the scores of its step counts, and the variance of rounding to steps. */

import { type LaplaceLaw, laplaceLaw } from '@murmuration/shared';
import type { NumberEstimation } from '../estimation.ts';
import type { Scores } from '../number.ts';
import { meanByScores } from '../parts.ts';
import { geometricScores, noiseRows } from './geometric.ts';

/** Scores, scaled from steps to a range of width 1. */
export function laplaceScores({ tails }: LaplaceLaw): Scores {
  const steps = tails.length;
  const { values, varianceAt: onGrid } = geometricScores({ mechanism: 'geometric', tails });
  const varianceAt = (place: number): number => {
    const rest = place * steps - Math.floor(place * steps);
    return onGrid(place) + (rest * (1 - rest)) / (steps * steps);
  };
  // On each step the variance is a downward parabola. Its maximum is at the top, or at the nearest end of the step.
  const tops = Array.from({ length: steps }, (_, step) => {
    const rise = onGrid((step + 1) / steps) - onGrid(step / steps);
    return varianceAt((step + Math.min(1, Math.max(0, (1 + rise * steps * steps) / 2))) / steps);
  });
  return { values, varianceAt, worst: Math.max(...tops, onGrid(0), onGrid(1)) };
}

export const laplace: NumberEstimation<LaplaceLaw> = {
  ...meanByScores<LaplaceLaw>(laplaceScores, noiseRows),
  named: ({ tails }) => [(e) => laplaceLaw(e, tails.length)],
  simulated: [{ of: 'mean', name: 'laplace', client: 'laplace' }],
};
