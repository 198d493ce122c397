/** The input of an estimate. */

import type { Tallies } from './tally.ts';

/** The tallies of a metric, and the people whom they describe. */
export interface EstimateInput {
  readonly tallies: Tallies;
  /** The most reports of one device in the tallies that repeat one symbol: 1 unless the metric is permanent. */
  readonly perDevice: number;
  /** The number of people drawn from the population (people.ts); absent when the estimates describe only these people. */
  readonly people?: number;
  /** The strings to estimate; unused for lists. */
  readonly candidates: readonly string[];
}
