/** The scores of the hybrid mechanism: those of its two parts, by the moments of shared/src/mechanisms/hybrid.ts. */

import { type HybridLaw, MODULUS, piecewiseMoments } from '@murmuration/shared';
import type { Scores } from './number.ts';
import { piecewiseScores } from './piecewise.ts';

/** The scores of the piecewise part's outputs, then of the two ends. */
export function hybridScores(law: HybridLaw): Scores {
  const { grid, window, inside, mix, truth } = law;
  const [stepped, ends] = [
    piecewiseScores({ mechanism: 'piecewise', grid, window, inside }),
    piecewiseScores({ mechanism: 'piecewise', grid: 1, window: 1, inside: truth }),
  ];
  const part = mix / MODULUS;
  const varianceAt = (place: number): number => part * stepped.varianceAt(place) + (1 - part) * ends.varianceAt(place);
  // On each step the variance is a parabola that opens downwards: its top, or the end of the step that is nearest.
  const { gain } = piecewiseMoments(grid, window, inside / MODULUS);
  const slope = part / gain - 1;
  const tops = Array.from({ length: grid }, (_, step) => {
    const top = (part / gain + 2 * slope * (step - grid / 2)) / 2;
    return varianceAt((step + Math.min(1, Math.max(0, top))) / grid);
  });
  return { values: [...Array.from(stepped.values), ...Array.from(ends.values)], varianceAt, worst: Math.max(...tops) };
}
