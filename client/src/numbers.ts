/** The questions about numbers, each carrying the randomizers that its law may name. */

import * as shared from '@murmuration/shared';
import { type DeviceQuestion, type ListAsk, lists, type Randomizing } from './questions.ts';
import type { Randomizers } from './randomizers/randomizer.ts';
import { randomizeScored } from './randomizers/scored.ts';

/** Of every number that is not permanent. */
const numbers: Randomizers = { scored: randomizeScored };

/** A number's distribution. `histogram([0, 100, 1000], { epsilon: 1, description: 'How long does a start take?' })` */
export function histogram(edges: readonly number[], ask: ListAsk<number>): DeviceQuestion<number> {
  return { randomizers: lists, ...shared.histogram(edges, ask) };
}

/** A mechanism for means that brings its own randomizer. */
export type MeanMechanism = shared.NamedMean & Randomizing;

/** A number's mean; numbers beyond the range count as its ends. `mean([0, 60], { epsilon: 1, description: 'How many minutes a day?' })` */
export function mean(range: shared.Range, ask: shared.Ask<MeanMechanism, number>): DeviceQuestion<number> {
  return { randomizers: numbers, ...shared.mean(range, ask) };
}

/** A mechanism for counts that brings its own randomizer. */
export type CountMechanism = shared.NamedCount & Randomizing;

/** A count's mean; above the greatest it counts as that. `count(20, { epsilon: 1, description: 'How many notes?' })` */
export function count(max: number, ask: shared.Ask<CountMechanism, number>): DeviceQuestion<number> {
  return { randomizers: numbers, ...shared.count(max, ask) };
}
