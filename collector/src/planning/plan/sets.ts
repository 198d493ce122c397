/**
 * The sets of metrics that devices are asked under `assign: 'random'`, with their probabilities. A device goes through a uniformly random
 * order and takes each metric that still fits the budget. A metric that does not fit at some point never fits later. So all metrics that
 * still fit are yet to come, and each is equally likely to be next. This is a Markov chain over sets of metrics taken, in which metrics of
 * one kind are interchangeable if they have equal charges.
 */

import { fits, type SchemaDocument } from '@murmuration/shared';

/** The most states that are computed exactly: about a second. */
const MOST_STATES = 2 ** 17;

/** Metrics that are interchangeable. */
export interface Kind {
  readonly charge: number;
  /** The number of metrics. */
  readonly size: number;
}

/** How many metrics of each kind a device may be asked, and the probability of it. Sets with the same numbers are equally likely. */
export interface Asked {
  readonly counts: readonly number[];
  readonly probability: number;
}

/** All that devices may be asked; undefined when there are more than `most` states. */
export function askedSets(
  kinds: readonly Kind[],
  { epsilon }: SchemaDocument['budget'],
  most: number = MOST_STATES,
): readonly Asked[] | undefined {
  const ends: Asked[] = [];
  let level: readonly Asked[] = [{ counts: kinds.map(() => 0), probability: 1 }];
  for (let states = 1; level.length > 0; states += level.length) {
    if (states > most) return undefined;
    const next = new Map<string, Asked>();
    for (const state of level) {
      const { counts, probability } = state;
      const charges = kinds.flatMap(({ charge }, i) => Array.from({ length: counts[i] as number }, () => charge));
      const left = kinds.map(({ charge, size }, i) => (fits([...charges, charge], epsilon) ? size - (counts[i] as number) : 0));
      const all = left.reduce((sum, n) => sum + n, 0);
      if (all === 0) ends.push(state);
      left.forEach((n, i) => {
        if (n === 0) return;
        const after = counts.with(i, (counts[i] as number) + 1);
        const before = next.get(after.join())?.probability ?? 0;
        next.set(after.join(), { counts: after, probability: before + (probability * n) / all });
      });
    }
    level = [...next.values()];
  }
  return ends;
}
