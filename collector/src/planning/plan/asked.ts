/**
 * The share of devices that are asked each metric. All devices or, under `assign: 'random'`, those in whose uniformly random order the
 * metric still fits the budget. A metric that does not fit at some point never fits later. So all metrics that still fit are yet to come,
 * and each is equally likely to be next. This is a Markov chain over sets of metrics taken, in which metrics with equal charges are
 * interchangeable.
 */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { assigned, chargesOf, fits, type SchemaDocument } from '@murmuration/shared';

/** The most sets that are computed exactly: about a second. */
const MOST_SETS = 2 ** 17;
/** Random orders used otherwise: four standard errors are then at most half a percent. */
const ORDERS = 160_000;

/** For each metric, the share of devices that are asked it, from 0 to 1; and the standard error of these shares, 0 where they are exact. */
export interface AskedShares {
  readonly shares: ReadonlyMap<string, number>;
  readonly standardError: number;
}

/** A state of the chain: how many metrics of each charge are taken, and the probability of reaching it. */
interface Taken {
  readonly counts: readonly number[];
  probability: number;
}

/** The exact shares; undefined when there are more than `mostSets` sets. */
function exactly({ metrics, budget }: SchemaDocument, mostSets: number): ReadonlyMap<string, number> | undefined {
  const groups = [...Map.groupBy(chargesOf(metrics, budget.per), ({ charge }) => charge)];
  const expected = groups.map(() => 0); // the expected number of metrics of each charge that a device takes
  let level: readonly Taken[] = [{ counts: groups.map(() => 0), probability: 1 }];
  for (let sets = 1; level.length > 0; sets += level.length) {
    if (sets > mostSets) return undefined;
    const next = new Map<string, Taken>();
    for (const { counts, probability } of level) {
      const charges = groups.flatMap(([charge], i) => Array.from({ length: counts[i] as number }, () => charge));
      const left = groups.map(([charge, { length }], i) =>
        fits([...charges, charge], budget.epsilon) ? length - (counts[i] as number) : 0,
      );
      const all = left.reduce((sum, n) => sum + n, 0);
      left.forEach((n, i) => {
        if (n === 0) return;
        const step = (probability * n) / all;
        expected[i] = (expected[i] as number) + step;
        const after = counts.with(i, (counts[i] as number) + 1);
        const same = next.get(after.join());
        if (same) same.probability += step;
        else next.set(after.join(), { counts: after, probability: step });
      });
    }
    level = [...next.values()];
  }
  return new Map(groups.flatMap(([, each], i) => each.map(({ metric }) => [metric, (expected[i] as number) / each.length] as const)));
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
export function askedOf(document: SchemaDocument, mostSets: number = MOST_SETS): AskedShares {
  if (!document.assign) return { shares: new Map(Object.keys(document.metrics).map((name) => [name, 1])), standardError: 0 };
  const shares = exactly(document, mostSets);
  return shares ? { shares, standardError: 0 } : { shares: simulated(document, ORDERS), standardError: 0.5 / Math.sqrt(ORDERS) };
}
