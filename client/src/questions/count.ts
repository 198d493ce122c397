/** The mean of a count, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeScored } from '../randomizers/scored.ts';
import type { DeviceQuestion, Randomizing } from './question.ts';

/** A mechanism for counts with its own randomizer. */
export type CountMechanism = shared.NamedCount & Randomizing;

/** Asks for a count to estimate its mean; larger counts count as `max`. `count(20, { epsilon: 1, description: 'How many notes?' })` */
export function count(max: number, ask: shared.Ask<CountMechanism, number>): DeviceQuestion<number> {
  return { randomizers: { scored: randomizeScored }, ...shared.count(max, ask) };
}
