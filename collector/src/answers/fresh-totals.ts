/**
 * The totals of all metrics, as fresh as a reader asks. Readers who come together share one reading, and readers who accept totals of a certain
 * age share them, so that many dashboards do not keep the store folding.
 */

import type { MetricTotal, Store } from '../storage/store.ts';

/** Totals by metric and schema. */
export type Totals = ReadonlyMap<string, MetricTotal>;

/** The key of a total. */
export const totalKey = (schema: string, metric: string): string => `${schema} ${metric}`;

interface Reading {
  readonly began: number;
  readonly totals: Promise<Totals>;
}

/** Reads totals that are at most this many milliseconds old. */
export type FreshTotals = (maxAge: number) => Promise<Totals>;

/** Creates the reader of a store's totals. */
export function createFreshTotals(store: Pick<Store, 'totals'>, now: () => number = () => performance.now()): FreshTotals {
  let last: Reading | undefined;
  let next: Promise<Totals> | undefined;
  const read = (): Promise<Totals> => {
    const totals = store.totals().then((all) => new Map(all.map((total) => [totalKey(total.schema, total.metric), total] as const)));
    const reading: Reading = { began: now(), totals };
    last = reading;
    totals.catch(() => {
      if (last === reading) last = undefined;
    });
    return totals;
  };
  return (maxAge) => {
    if (last !== undefined && last.began >= now() - maxAge) return last.totals;
    // A reading that has begun may lack what was appended since, so those who come meanwhile share the next.
    next ??= (last?.totals ?? Promise.resolve()).then(
      () => {
        next = undefined;
        return read();
      },
      () => {
        next = undefined;
        return read();
      },
    );
    return next;
  };
}
