/** Estimators by mechanism: tally to estimates. The law comes from the schema document, integer by integer. */

import { type Law, type ListLaw, mechanismOf, type NumberLaw, type PrivSetLaw, privSet } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import { dBitFlipEstimates } from './d-bit-flip.ts';
import type { Estimate } from './estimate.ts';
import { exponentialEstimates } from './exponential.ts';
import { geometricScores } from './geometric.ts';
import { numberEstimates, type Scores } from './number.ts';
import { oneBitEstimates, oneBitScores } from './one-bit.ts';
import { piecewiseScores } from './piecewise.ts';
import { pureEstimates } from './pure.ts';
import { stringEstimates } from './strings.ts';
import { supportsOf } from './supports.ts';

/** What an estimate is made of. */
export interface Question {
  readonly tallies: Tallies;
  /** The most reports that one device may have in the tallies: 1 unless the metric is permanent. */
  readonly perDevice: number;
  /** The strings to estimate; lists need none. */
  readonly candidates: readonly string[];
}

type Estimator<L> = (law: L, question: Question) => Estimate[];

/** Lists: every answer by the reports that support it. */
const list: Estimator<ListLaw> = (law, { tallies, perDevice }) => {
  const { support } = mechanismOf(law);
  return tallies.size === 0 ? [] : pureEstimates(supportsOf(law, tallies), support(law), support(law, 'permanent'), perDevice);
};

/** Sets: a cell for each answer, and for each dummy. */
const sets: Estimator<PrivSetLaw> = (law, { tallies }) => {
  const tally = tallies.get(0);
  const support = privSet.support(law);
  return tally === undefined ? [] : pureEstimates(tally, support, support, 1);
};

const scores: { readonly [M in NumberLaw['mechanism']]: (law: Extract<NumberLaw, { mechanism: M }>) => Scores } = {
  piecewise: piecewiseScores,
  geometric: geometricScores,
  'one-bit': oneBitScores,
};

/** How a law's outputs tell a number. */
export const scoresOf = (law: NumberLaw): Scores => (scores[law.mechanism] as (law: NumberLaw) => Scores)(law);

/** One row: the mean, in [0, 1] over the metric's range. */
const number: Estimator<NumberLaw> = (law, { tallies }) => numberEstimates(scoresOf(law), tallies);

const estimators: { readonly [M in Law['mechanism']]: Estimator<Extract<Law, { mechanism: M }>> } = {
  'k-ary': list,
  subset: list,
  unary: list,
  privset: sets,
  'local-hashing': list,
  rappor: stringEstimates,
  'string-hashing': stringEstimates,
  piecewise: number,
  geometric: number,
  exponential: exponentialEstimates,
  'd-bit-flip': dBitFlipEstimates,
  'one-bit': oneBitEstimates,
};

/**
 * The estimates of a metric: in the order of its answers, of sets with the dummies after them, or of the candidates; of a
 * number its mean alone. None without reports.
 */
export const estimatesOf = (law: Law, question: Question): Estimate[] => (estimators[law.mechanism] as Estimator<Law>)(law, question);
