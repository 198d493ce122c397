/** The question of a number's whole distribution, and the mechanisms that it can name. */

import * as shared from '@murmuration/shared';
import type { DeviceQuestion, Randomizing } from './questions.ts';
import { randomizeHierarchical } from './randomizers/hierarchical.ts';
import { respondAround } from './randomizers/piecewise.ts';

/** A mechanism for distributions that brings its own randomizer. */
export type DistributionMechanism = shared.NamedDistribution & Randomizing;

/**
 * A number's whole distribution: shares of any range, quantiles, the mean. Numbers beyond the range count as its ends.
 *
 * @example distribution([0, 60], { epsilon: 1, description: 'How many minutes a day?' })
 */
export function distribution(
  range: shared.Range,
  ask: shared.Ask<DistributionMechanism, number> & { readonly cells?: number },
): DeviceQuestion<number> {
  return { randomizers: { 'square-wave': respondAround }, ...shared.distribution(range, ask) };
}

/**
 * Hierarchical intervals for a distribution, by name: where the shares of ranges and the quantiles need the narrowest
 * intervals.
 *
 * @param branching how many parts a part of the range has; by the number of cells when left out
 * @example distribution([0, 60], { epsilon: 1, description: 'How many minutes a day?', mechanism: hierarchical() })
 */
export const hierarchical = ({
  branching,
}: {
  readonly branching?: number;
} = {}): DistributionMechanism & {
  readonly labels: () => readonly string[];
} => ({
  takes: 'distribution',
  law: (cells, epsilon) => shared.hierarchicalLaw(cells, epsilon, branching),
  labels: () => [],
  randomizers: { hierarchical: randomizeHierarchical },
});
