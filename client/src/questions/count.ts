/** A count's mean, carrying its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeScored } from '../randomizers/scored.ts';
import type { DeviceQuestion, Randomizing } from './question.ts';

/** A mechanism for counts that brings its own randomizer. */
export type CountMechanism = shared.NamedCount & Randomizing;

/** A count's mean; above the greatest it counts as that. `count(20, { epsilon: 1, description: 'How many notes?' })` */
export function count(max: number, ask: shared.Ask<CountMechanism, number>): DeviceQuestion<number> {
  return { randomizers: { scored: randomizeScored }, ...shared.count(max, ask) };
}
