/** The scores of the hybrid mechanism: those of its two parts, by the moments of shared/src/mechanisms/hybrid.ts. */

import { type HybridLaw, hybridMeanLaw, MODULUS, piecewiseMoments } from '@murmuration/shared';
import type { NumberEstimation } from '../estimation.ts';
import type { Rows } from '../matrices.ts';
import type { Scores } from '../number.ts';
import { meanByScores } from '../parts.ts';
import { piecewiseScores, windowRows } from './piecewise.ts';

/** The scores of the piecewise part's outputs, then of the two ends. */
export function hybridScores(law: HybridLaw): Scores {
  const { grid, window, inside, mix, truth } = law;
  const [stepped, ends] = [
    piecewiseScores({ mechanism: 'piecewise', grid, window, inside }),
    piecewiseScores({ mechanism: 'piecewise', grid: 1, window: 1, inside: truth }),
  ];
  const part = mix / MODULUS;
  const varianceAt = (place: number): number => part * stepped.varianceAt(place) + (1 - part) * ends.varianceAt(place);
  // On each step the variance is a downward parabola. Its maximum is at the top, or at the nearest end of the step.
  const { gain } = piecewiseMoments(grid, window, inside / MODULUS);
  const slope = part / gain - 1;
  const tops = Array.from({ length: grid }, (_, step) => {
    const top = (part / gain + 2 * slope * (step - grid / 2)) / 2;
    return varianceAt((step + Math.min(1, Math.max(0, top))) / grid);
  });
  return { values: [...Array.from(stepped.values), ...Array.from(ends.values)], varianceAt, worst: Math.max(...tops) };
}

/** P(output | point): the outputs of the piecewise part, then the two ends. */
function rowsOf(law: HybridLaw): Rows {
  const [part, truth, points] = [law.mix / MODULUS, law.truth / MODULUS, windowRows(law)];
  return points.map((row, input) => {
    const high = 1 - truth + (2 * truth - 1) * (input / law.grid);
    return [...row.map((chance) => part * chance), (1 - part) * (1 - high), (1 - part) * high];
  });
}

export const hybrid: NumberEstimation<HybridLaw> = {
  ...meanByScores<HybridLaw>(hybridScores, rowsOf),
  named: () => [hybridMeanLaw],
  simulated: [{ of: 'mean', name: 'hybrid', client: 'hybrid' }],
};
