/** What every mechanism of a number's mean has in common: its outputs have scores (number.ts), and its channel is a matrix. */

import type { NumberLaw } from '@murmuration/shared';
import { ofRows } from '../watch/bounds.ts';
import { matrixFit } from '../watch/matrices.ts';
import { ends } from '../watch/reach.ts';
import type { NumberEstimation } from './estimation.ts';
import { numberEstimates, type Scores } from './number.ts';
import { THESE } from './people.ts';
import type { Rows } from './rows.ts';
import { squaresOf } from './squares.ts';

/** The estimation of a number but for what is its own: one row, the mean, in [0, 1] over the metric's range. */
export const meanByScores = <L extends NumberLaw>(
  scores: (law: L) => Scores,
  rows: (law: L) => Rows,
): Omit<NumberEstimation<L>, 'named' | 'simulated'> => ({
  scores,
  estimates: (law, { tallies, people = THESE }) => {
    const found = scores(law);
    return numberEstimates(found, tallies, people, people === THESE ? squaresOf(rows(law), found) : undefined);
  },
  bounds: (law) => ofRows(rows(law)),
  fit: (law, tallies, perDevice) => matrixFit(rows(law), tallies, perDevice),
  leverage: (law) => ends(Array.from(scores(law).values)),
});
