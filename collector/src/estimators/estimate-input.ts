/** What an estimate is made of. */

import type { Tallies } from '../store/store.ts';

/** The tallies of a metric, and whom they are about. */
export interface EstimateInput {
  readonly tallies: Tallies;
  /** The most reports of one device in the tallies that repeat one symbol: 1 unless the metric is permanent. */
  readonly perDevice: number;
  /** How many people were drawn from the population (people.ts); left out where estimates are of these very people. */
  readonly people?: number;
  /** The strings to estimate; lists need none. */
  readonly candidates: readonly string[];
}
