/** Common parts of all list mechanisms in which each answer is estimated from the reports that support it (pure.ts). */

import { type ListLaw, mechanismOf } from '@murmuration/shared';
import type { ListEstimation } from './estimation.ts';
import { THESE } from './people.ts';
import { pureEstimates, rangeVariance } from './pure.ts';
import { addSupports, reportsIn } from './supports.ts';
import type { Tallies } from './tally.ts';
import { ofSupport as boundsOfSupport } from './watch/bounds.ts';
import { ofSupport as leverageOfSupport } from './watch/reach.ts';

/**
 * Builds the estimation of a list from the parts specific to its mechanism. Uses the mechanism's transform where answers have more than one
 * cell each.
 */
export function pureList<L extends ListLaw>(
  supports: (law: L, tallies: Tallies) => Float64Array = addSupports,
): Omit<ListEstimation<L>, 'named' | 'fit' | 'simulated'> {
  const supportBy = (law: L) => mechanismOf(law as ListLaw).support(law);
  const stored = (law: L) => mechanismOf(law as ListLaw).support(law, 'permanent');
  return {
    supports,
    estimates: (law, { tallies, perDevice, people = THESE }) =>
      tallies.size === 0
        ? []
        : pureEstimates({ reports: reportsIn(tallies), cells: supports(law, tallies) }, supportBy(law), stored(law), perDevice, people),
    bounds: (law) => boundsOfSupport(supportBy(law)),
    leverage: (law) => leverageOfSupport(supportBy(law)),
    noiseAt: (law, reports, share) => {
      const { constant, slope } = rangeVariance(supportBy(law), supportBy(law), reports, 1);
      return constant + slope * share;
    },
    theory: (law, tallies, truth, perDevice) => {
      const { constant, slope } = rangeVariance(supportBy(law), stored(law), reportsIn(tallies), perDevice);
      return constant + slope * (truth.reduce((sum, share) => sum + share, 0) / truth.length);
    },
  };
}
