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

/** By law: a range of days asks for the same again and again. */
function byLaw<L extends NumberLaw, T>(of: (law: L) => T): (law: L) => T {
  const known = new WeakMap<L, { readonly found: T }>();
  return (law) => {
    const { found } = known.get(law) ?? { found: of(law) };
    known.set(law, { found });
    return found;
  };
}

/** The estimation of a number but for what is its own: one row, the mean, in [0, 1] over the metric's range. */
export function meanByScores<L extends NumberLaw>(
  scoresFor: (law: L) => Scores,
  rows: (law: L) => Rows,
): Omit<NumberEstimation<L>, 'named' | 'simulated'> {
  const scores = byLaw(scoresFor);
  const squares = byLaw((law: L) => squaresOf(rows(law), scores(law)));
  return {
    scores,
    estimates: (law, { tallies, people = THESE }) =>
      numberEstimates(scores(law), tallies, people, people === THESE ? squares(law) : undefined),
    bounds: (law) => ofRows(rows(law)),
    fit: (law, tallies, perDevice) => matrixFit(rows(law), tallies, perDevice),
    leverage: (law) => ends(Array.from(scores(law).values)),
  };
}
