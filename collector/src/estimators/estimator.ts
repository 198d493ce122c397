/** Estimators by mechanism: tally to estimates. The law comes from the schema document, integer by integer. */

import { type Law, mechanismOf } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';
import type { Estimate } from './estimate.ts';
import { pureEstimates } from './pure.ts';
import { rapporEstimates } from './rappor.ts';

/** What an estimate is made of. */
export interface Question {
  readonly tallies: Tallies;
  /** The most reports that one device may have in the tallies: 1 unless the metric is permanent. */
  readonly perDevice: number;
  /** The strings to estimate; lists need none. */
  readonly candidates: readonly string[];
}

type Estimator<L> = (law: L, question: Question) => Estimate[];

/** k-ary response, subset selection and unary encoding: one cohort, a cell for each answer. */
const list: Estimator<Law> = (law, { tallies, perDevice }) => {
  const { support } = mechanismOf(law);
  const tally = tallies.get(0);
  return tally === undefined ? [] : pureEstimates(tally, support(law), support(law, 'permanent'), perDevice);
};

const estimators: { readonly [M in Law['mechanism']]: Estimator<Extract<Law, { mechanism: M }>> } = {
  'k-ary': list,
  subset: list,
  unary: list,
  rappor: rapporEstimates,
};

/** The estimates of a metric: in the order of its answers, or of the candidates. None without reports. */
export const estimatesOf = (law: Law, question: Question): Estimate[] => (estimators[law.mechanism] as Estimator<Law>)(law, question);
