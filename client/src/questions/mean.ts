/** The mean of a number, with its randomizer. */

import * as shared from '@murmuration/shared';
import { randomizeScored } from '../randomizers/scored.ts';
import type { DeviceQuestion, Randomizing } from './question.ts';

/** A mechanism for means with its own randomizer. */
export type MeanMechanism = shared.NamedMean & Randomizing;

/**
 * Asks for a number to estimate its mean; numbers outside the range count as its ends. `mean([0, 60], { epsilon: 1, description: 'How many
 * minutes a day?' })`
 */
export function mean(range: shared.Range, ask: shared.Ask<MeanMechanism, number>): DeviceQuestion<number> {
  return { randomizers: { scored: randomizeScored }, ...shared.mean(range, ask) };
}
