/**
 * The share of devices that are asked each metric. All devices or, under `assign: 'random'`, those in whose uniformly random order the
 * metric still fits the budget (sets.ts).
 */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { assigned, chargesOf, type SchemaDocument } from '@murmuration/shared';
import { askedSets } from './sets.ts';

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
