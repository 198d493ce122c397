import { countLaw, meanLaw, type ScoredLaw, scoredLaw, scoredPoints } from '@murmuration/shared';
import { randomizeScored } from '#client/randomizers/scored.ts';
import { indexReport } from '../../proofs/channel.ts';
import { piecewiseRow } from './piecewise.ts';
import type { NumberSpecimen } from './specimen.ts';

/** The position of a point, from 0 to 1. */
const placeOf = (law: ScoredLaw, point: number): number => {
  const points = scoredPoints(law);
  return (points[point] as number) / (points[law.grid] as number);
};

/** Thresholds over words below T. The points are eighths and sixteenths, so that doubles represent the positions between them exactly. */
const few = (T: number): ScoredLaw => scoredLaw({ grid: 2, window: 2, scores: [0, 1, 4, 5] }, 2, T);
const uneven = (T: number): ScoredLaw => scoredLaw({ grid: 4, window: 2, scores: [0, 1, 2, 7, 8, 9] }, 2, T);

export const scored: NumberSpecimen<ScoredLaw> = {
  randomize: (law, point, coins, T) => randomizeScored(law, placeOf(law, point), coins, T),
  between: randomizeScored,
  steps: ({ grid }) => grid,
  points: scoredPoints,
  row: piecewiseRow,
  encode: ({ grid, window }, { cells: [cell] }) => indexReport(cell as number, grid + window),
  thresholds: ({ inside }) => [[inside, [0]]],
  laws: [meanLaw(0.01), meanLaw(1), countLaw(2, 4)],
  small: [
    [few(64), 64],
    [uneven(64), 64],
    [scoredLaw({ grid: 1, window: 1, scores: [0, 1] }, 2, 64), 64],
  ],
  large: [meanLaw(4), countLaw(5, 4)],
  at: (e) => meanLaw(e),
  lengths: [meanLaw(0.5), meanLaw(8), countLaw(20, 4)],
};
