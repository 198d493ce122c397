/** Common parts of all mechanisms for a number's mean: their outputs have scores (number.ts), and their channel is a matrix. */

import type { NumberLaw } from '@murmuration/shared';
import type { NumberEstimation } from './estimation.ts';
import { byMatrix } from './matrix-channel.ts';
import { numberEstimates, type Scores } from './number.ts';
import { THESE } from './people.ts';
import type { Rows } from './rows.ts';
import { squaresOf } from './squares.ts';
import { ends } from './watch/reach.ts';

/** Caches a function per law, because a range of days asks for the same again and again. */
function once<L extends object, T>(compute: (law: L) => T): (law: L) => T {
  const known = new WeakMap<L, { readonly value: T }>();
  return (law) => {
    const found = known.get(law) ?? { value: compute(law) };
    known.set(law, found);
    return found.value;
  };
}

/** Builds the estimation of a number from the parts specific to its mechanism: one row, the mean, in [0, 1] over the metric's range. */
export function meanByScores<L extends NumberLaw>(
  compute: (law: L) => Scores,
  rows: (law: L) => Rows,
): Omit<NumberEstimation<L>, 'named' | 'simulated'> {
  const scores = once(compute);
  const squares = once((law: L) => squaresOf(rows(law), scores(law)));
  return {
    scores,
    estimates: (law, { tallies, people = THESE }) =>
      numberEstimates(scores(law), tallies, people, people === THESE ? squares(law) : undefined),
    ...byMatrix(rows),
    leverage: (law) => ends(Array.from(scores(law).values)),
  };
}
