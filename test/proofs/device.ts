/**
 * A device's ledger in use, for proofs: what it sends on which days, and what that truly reveals. Every record draws a
 * symbol of its own, as the client does; what a permanent report reveals is the symbol that it came from, once.
 */

import {
  type Budget,
  type Cadence,
  chargesOf,
  type MetricDocument,
  PERIOD_DAYS,
  type Period,
  type Permanence,
  sumOf,
} from '@murmuration/shared';
import fc from 'fast-check';
import { epochs } from '#client/ledger/epochs.ts';
import { type Accounts, claim } from '#client/ledger/ledger.ts';

/** A version of a schema. */
export interface Version {
  readonly budget: Budget;
  readonly metrics: { readonly [name: string]: MetricDocument };
}

/** A day on which an app with some version records some metrics. */
export interface Visit {
  readonly day: number;
  readonly version: Version;
  readonly records: readonly string[];
}

/** A report that left, or was refused. */
export interface Event {
  readonly day: number;
  readonly version: Version;
  readonly metric: string;
  readonly outcome: 'free' | Extract<ReturnType<typeof claim>, string>;
  /** What it is a report of: reports of one symbol reveal `epsilon` together. */
  readonly symbol: string;
  readonly epsilon: number;
}

/** Follows a device through its visits. `symbolOf` names the symbol that the n-th record draws. */
export function follow(visits: readonly Visit[], symbolOf: (n: number) => string): readonly Event[] {
  let accounts: Accounts = {};
  let drawn = 0;
  const revealed = new Map<string, number>();
  return visits.flatMap(({ day, version, records }) =>
    records.flatMap((name) => {
      const metric = version.metrics[name];
      if (metric === undefined) return [];
      const fresh = symbolOf(drawn++);
      const account = claim(
        { metric: name, id: '', symbol: fresh },
        metric,
        accounts,
        day,
        version.budget,
        metric.permanent ? epochs : undefined,
      );
      const outcome = typeof account === 'string' ? account : 'free';
      let symbol = fresh;
      if (typeof account !== 'string') {
        symbol = account.epoch?.symbol ?? fresh;
        accounts[name] = account;
        accounts = JSON.parse(JSON.stringify(accounts)) as Accounts;
      }
      const epsilon = revealed.get(symbol) ?? (metric.permanent ?? metric).epsilon;
      revealed.set(symbol, epsilon);
      return [{ day, version, metric: name, outcome, symbol, epsilon }];
    }),
  );
}

/** The reports that left. */
export const sentOf = (events: readonly Event[]): readonly Event[] => events.filter(({ outcome }) => outcome === 'free');

/** What reports reveal together: each symbol once. */
export const revealedBy = (reports: readonly Event[]): number =>
  sumOf([...new Map(reports.map(({ symbol, epsilon }) => [symbol, epsilon])).values()]);

/** Every window of so many days that begins with a report: no other holds more. */
export const windowsOf = (reports: readonly Event[], days: number): readonly (readonly Event[])[] =>
  [...new Set(reports.map(({ day }) => day))].map((first) => reports.filter(({ day }) => day >= first && day < first + days));

const PERIODS = Object.keys(PERIOD_DAYS) as Period[];
const METRICS = ['a', 'b', 'c'];

/** Eighths add up without rounding. */
const eighths = fc.integer({ min: 1, max: 24 }).map((n) => n / 8);

const metric = fc
  .record({
    epsilon: eighths,
    every: fc.constantFrom<Cadence>(...PERIODS, 'once'),
    permanent: fc.option(fc.record({ more: eighths, renew: fc.constantFrom<Permanence['renew']>('week', 'month', 'year', 'never') }), {
      nil: undefined,
    }),
  })
  .map(({ epsilon, every, permanent }): MetricDocument => {
    const whole = permanent && { epsilon: epsilon + permanent.more, renew: permanent.renew };
    // Any integers: laws are the same where both ε are.
    const law = {
      mechanism: 'k-ary',
      size: 2,
      truth: 8 * (whole?.epsilon ?? epsilon),
      ...(whole && { irr: { truth: 8 * epsilon } }),
    } as const;
    return { type: 'flag', epsilon, every, ...(whole && { permanent: whole }), law };
  });

/** A schema whose charges fit its budget, as `defineSchema` sees to: often exactly, sometimes with much to spare. */
const fitted = (metrics: Version['metrics'], per: Period, spare: number): Version => ({
  metrics,
  budget: { epsilon: sumOf(chargesOf(metrics, per).map(({ charge }) => charge)) + spare, per },
});

/** Versions of one schema: each has most metrics as they were, some changed, some gone. */
export const versions = (periods: readonly Period[], count: number): fc.Arbitrary<readonly Version[]> =>
  fc
    .record({
      kinds: fc.tuple(...METRICS.map(() => fc.tuple(metric, metric))),
      changes: fc.array(
        fc.record({
          kept: fc.tuple(...METRICS.map(() => fc.constantFrom(0, 0, 0, 1, 2))),
          per: fc.constantFrom(...periods),
          spare: fc.oneof(fc.constant(0), eighths, fc.constant(40)),
        }),
        { minLength: count, maxLength: count },
      ),
    })
    .map(({ kinds, changes }) =>
      changes.map(({ kept, per, spare }) => {
        const metrics: { [name: string]: MetricDocument } = {};
        METRICS.forEach((name, i) => {
          const kind = kinds[i]?.[kept[i] as number];
          if (kind !== undefined) metrics[name] = kind;
        });
        return fitted(metrics, per, spare);
      }),
    );

/** Days that never decrease: most visits soon after the last one, some at the ends of periods, some long after. */
const jump = fc.oneof(
  { arbitrary: fc.constantFrom(0, 1, 1, 1, 2), weight: 6 },
  { arbitrary: fc.constantFrom(6, 7, 8, 29, 30, 31, 364, 365, 366), weight: 2 },
  { arbitrary: fc.integer({ min: 0, max: 45 }), weight: 2 },
);

/** Visits with one of so many versions each; versions come in their order. */
export const visits = (versionsIn: fc.Arbitrary<readonly Version[]>, maxLength = 80): fc.Arbitrary<readonly Visit[]> =>
  fc
    .record({
      versions: versionsIn,
      steps: fc.array(fc.record({ jump, records: fc.shuffledSubarray(METRICS, { minLength: 1 }), change: fc.nat({ max: 7 }) }), {
        minLength: 2,
        maxLength,
        size: 'max',
      }),
    })
    .map(({ versions: all, steps }) => {
      let [day, at] = [20_000, 0];
      return steps.map(({ jump: days, records, change }) => {
        day += days;
        if (change === 0) at = Math.min(at + 1, all.length - 1);
        return { day, version: all[at] as Version, records };
      });
    });
