/** The scores of scored windows, as given in the law; see shared/src/mechanisms/scored.ts for the derivation. */

import { MODULUS, type ScoredLaw, scoredPoints } from '@murmuration/shared';
import type { NumberEstimation } from '../estimation.ts';
import type { Scores } from '../number.ts';
import { meanByScores } from '../parts.ts';
import { windowRows } from './piecewise.ts';

/** Score (s_j - E[s | 0]) / (c X_g) of output j, scaled to the range's width. */
export function scoredScores(law: ScoredLaw): Scores {
  const { grid, window, inside } = law;
  const [near, far] = [inside / MODULUS / window, (1 - inside / MODULUS) / grid];
  const points = scoredPoints(law);
  const end = points[grid] as number;
  /** The mean of a function of the outputs, at a point. */
  const meanAt = (point: number, of: readonly number[]): number =>
    of.reduce((sum, value, output) => sum + value * (output >= point && output < point + window ? near : far), 0);
  const low = meanAt(0, law.scores);
  const values = law.scores.map((score) => (score - low) / ((near - far) * end));
  // E[(score - 1/2)²] at the points; linear on each step.
  const squares = points.map((_, point) =>
    meanAt(
      point,
      values.map((value) => (value - 0.5) ** 2),
    ),
  );
  const varianceAt = (place: number): number => {
    const step = Math.max(
      0,
      points.findLastIndex((point, i) => i < grid && point <= place * end),
    );
    const [start, stop] = [(points[step] as number) / end, (points[step + 1] as number) / end];
    const [from, to] = [squares[step] as number, squares[step + 1] as number];
    return from + ((to - from) * (place - start)) / (stop - start) - (place - 0.5) ** 2;
  };
  // On each step the variance is a downward parabola. Its maximum is at the top, or at the nearest end of the step.
  const tops = points.slice(1).map((point, step) => {
    const [start, stop] = [(points[step] as number) / end, point / end];
    const top = 0.5 + ((squares[step + 1] as number) - (squares[step] as number)) / (stop - start) / 2;
    return varianceAt(Math.min(stop, Math.max(start, top)));
  });
  return { values, varianceAt, worst: Math.max(...tops) };
}

export const scored: NumberEstimation<ScoredLaw> = {
  ...meanByScores<ScoredLaw>(scoredScores, windowRows),
  named: () => [], // only the automatic choice of mechanism uses it
  simulated: [], // it can't be named; it is the automatic choice when no mechanism is named
};
