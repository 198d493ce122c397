/**
 * The share of devices that are asked each metric. All devices or, under `assign: 'random'`, those in whose uniformly random order the
 * metric still fits the budget.
 */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { assigned, chargesOf, fits, type SchemaDocument } from '@murmuration/shared';

/** Random orders used otherwise: four standard errors are then at most half a percent. */
const ORDERS = 160_000;

/** For each metric, the share of devices that are asked it, from 0 to 1; and the standard error of these shares, 0 where they are exact. */
export interface AskedShares {
  readonly shares: ReadonlyMap<string, number>;
  readonly standardError: number;
}

/** The exact shares; undefined when there are more than `mostStates` states. */
function exactly({ metrics, budget }: SchemaDocument, mostStates?: number): ReadonlyMap<string, number> | undefined {
  const groups = [...Map.groupBy(chargesOf(metrics, budget.per), ({ charge }) => charge)];
  const kinds = groups.map(([charge, { length }]) => ({ charge, size: length }));
  const sets = askedSets(kinds, budget, mostStates);
  const shareOf = (kind: number): number =>
    (sets ?? []).reduce((sum, { counts, probability }) => sum + probability * (counts[kind] as number), 0) / (kinds[kind]?.size ?? 1);
  return sets && new Map(groups.flatMap(([, each], i) => each.map(({ metric }) => [metric, shareOf(i)] as const)));
}

/** The shares over random orders. The same schema always gets the same orders. */
function simulated({ metrics, budget }: SchemaDocument, orders: number): ReadonlyMap<string, number> {
  const { uniform } = createCoins(words(seededRng(1)));
  const order = Object.keys(metrics);
  const taken = new Map(order.map((name) => [name, 0]));
  for (let drawn = 0; drawn < orders; drawn++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = uniform(i + 1);
      [order[i], order[j]] = [order[j] as string, order[i] as string];
    }
    for (const name of assigned(order, metrics, budget)) taken.set(name, (taken.get(name) as number) + 1);
  }
  return new Map([...taken].map(([name, count]) => [name, count / orders]));
}

/** The share of devices that are asked each metric. */
export function askedOf(document: SchemaDocument, mostStates?: number): AskedShares {
  if (!document.assign) return { shares: new Map(Object.keys(document.metrics).map((name) => [name, 1])), standardError: 0 };
  const shares = exactly(document, mostStates);
  return shares ? { shares, standardError: 0 } : { shares: simulated(document, ORDERS), standardError: 0.5 / Math.sqrt(ORDERS) };
}

/*
 * The sets of metrics that devices are asked under `assign: 'random'`, with their probabilities. A device goes through a uniformly random
 * order and takes each metric that still fits the budget. A metric that does not fit at some point never fits later. So all metrics that
 * still fit are yet to come, and each is equally likely to be next. This is a Markov chain over sets of metrics taken, in which metrics of
 * one kind are interchangeable if they have equal charges.
 */

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
