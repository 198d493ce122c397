/** The distribution of a number, with its randomizers. */

import * as shared from '@murmuration/shared';
import { randomizeHierarchical } from '../randomizers/hierarchical.ts';
import { respondAround } from '../randomizers/piecewise.ts';
import type { DeviceQuestion, Randomizing } from './question.ts';

/** A mechanism for distributions with its own randomizer. */
export type DistributionMechanism = shared.NamedDistribution & Randomizing;

/**
 * Asks for a number to estimate its whole distribution: shares of any range, quantiles, the mean. Numbers outside the range count as its
 * ends.
 *
 * @example distribution([0, 60], { epsilon: 1, description: 'How many minutes a day?' })
 */
export function distribution(
  range: shared.Range,
  ask: shared.Ask<DistributionMechanism, number> & { readonly cells?: number },
): DeviceQuestion<number> {
  return { randomizers: { hierarchical: randomizeHierarchical, 'square-wave': respondAround }, ...shared.distribution(range, ask) };
}
