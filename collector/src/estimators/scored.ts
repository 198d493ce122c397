/** The scores of scored windows: those of the law, by the derivation of shared/src/mechanisms/scored.ts. */

import { MODULUS, outputScores, type ScoredLaw, scoredPoints } from '@murmuration/shared';
import type { Scores } from './number.ts';

/** Score s_j / (c X_g) of output j from the middle of the range, whose width is 1. */
export function scoredScores(law: ScoredLaw): Scores {
  const { grid, window, inside } = law;
  const [near, far] = [inside / MODULUS / window, (1 - inside / MODULUS) / grid];
  const points = scoredPoints(law);
  const end = points[grid] as number;
  const scores = outputScores(law).map((score) => score / ((near - far) * end));
  // E[score²] at the points; on a step it is a line.
  const total = scores.reduce((sum, score) => sum + score * score, 0);
  const squares = points.map((_, point) => {
    const inWindow = scores.slice(point, point + window).reduce((sum, score) => sum + score * score, 0);
    return far * total + (near - far) * inWindow;
  });
  const varianceAt = (place: number): number => {
    const step = Math.max(
      0,
      points.findLastIndex((point, i) => i < grid && point <= place * end),
    );
    const [low, high] = [(points[step] as number) / end, (points[step + 1] as number) / end];
    const [from, to] = [squares[step] as number, squares[step + 1] as number];
    return from + ((to - from) * (place - low)) / (high - low) - (place - 0.5) ** 2;
  };
  // On each step the variance is a parabola that opens downwards: its top, or the end of the step that is nearest.
  const tops = points.slice(1).map((point, step) => {
    const [low, high] = [(points[step] as number) / end, point / end];
    const top = 0.5 + ((squares[step + 1] as number) - (squares[step] as number)) / (high - low) / 2;
    return varianceAt(Math.min(high, Math.max(low, top)));
  });
  return { values: scores.map((score) => 0.5 + score), varianceAt, worst: Math.max(...tops) };
}
