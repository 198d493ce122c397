/** What can happen to a device: random setups and steps. */

import * as fc from 'fast-check';
import type { Setup } from './device.ts';
import { NETWORKS, type NetworkState } from './network.ts';
import { families, METRICS } from './schemas.ts';
import type { Health } from './storage-model.ts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Contents that a storage may be corrupted to. */
const RUINS: readonly (string | undefined)[] = [
  undefined,
  '',
  'null',
  '{"v":1',
  '{"v":3,"accounts":{},"outbox":[]}',
  '0 {"v":3,"outbox":7}',
];

export type Step =
  | { readonly kind: 'record' | 'record and leave'; readonly tab: number; readonly metrics: readonly number[] }
  | { readonly kind: 'flush' | 'hide' | 'reload' | 'close' | 'leave' | 'return' | 'leave and return'; readonly tab: number }
  /** The context dies: at once, or after this many steps of its storage. The last of these may be written. */
  | { readonly kind: 'kill'; readonly tab: number; readonly steps: number; readonly isWritten: boolean }
  /** The browser dies with all its contexts. The spill loses its last writes, or everything. */
  | { readonly kind: 'kill all'; readonly losesSpill: boolean; readonly isStale: boolean }
  | { readonly kind: 'days'; readonly tab: number; readonly days: number; readonly one: boolean; readonly network: NetworkState }
  | { readonly kind: 'decide'; readonly tab: number; readonly decisions: readonly ('grant' | 'deny' | 'forget')[] }
  | { readonly kind: 'network'; readonly state: NetworkState }
  | { readonly kind: 'storage'; readonly health: Health }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'turn clock'; readonly milliseconds: number }
  | { readonly kind: 'answers' }
  | { readonly kind: 'release'; readonly version: number; readonly closes: boolean }
  | { readonly kind: 'lose' }
  | { readonly kind: 'ruin'; readonly text: string | undefined };

const tab = fc.nat(1);
const metrics = fc.array(fc.nat(METRICS.versions.length - 1), { minLength: 1, maxLength: 4 });
const milliseconds = fc.constantFrom(500, 5_000, 60_000, HOUR, 9 * HOUR, DAY, 3 * DAY, 8 * DAY, 20 * DAY, 31 * DAY);
const health = fc.constantFrom<Health>('works', 'works', 'works', 'failing', 'held');
const decision = fc.constantFrom('grant' as const, 'grant' as const, 'deny' as const, 'forget' as const);
const network = fc.constantFrom(...NETWORKS);
const of = fc.constant;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: of('record' as const), tab, metrics }) },
  { weight: 2, arbitrary: fc.record({ kind: of('record' as const), tab, metrics: of([5, 6]) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('record and leave' as const), tab, metrics: fc.oneof(metrics, of([5, 6])) }) },
  { weight: 6, arbitrary: fc.record({ kind: of('wait' as const), milliseconds }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'flush' as const,
        'hide' as const,
        'reload' as const,
        'close' as const,
        'leave' as const,
        'return' as const,
        'leave and return' as const,
      ),
      tab,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: of('network' as const), state: network }) },
  { weight: 2, arbitrary: fc.record({ kind: of('answers' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: of('kill' as const), tab, steps: fc.integer({ min: -1, max: 3 }), isWritten: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: of('kill all' as const), losesSpill: fc.boolean(), isStale: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: of('decide' as const), tab, decisions: fc.array(decision, { minLength: 1, maxLength: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('days' as const), tab, days: fc.integer({ min: 1, max: 9 }), one: fc.boolean(), network }) },
  { weight: 2, arbitrary: fc.record({ kind: of('storage' as const), health }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: of('turn clock' as const),
      milliseconds: fc.tuple(milliseconds, fc.boolean()).map(([n, back]) => (back ? -n : n)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: of('release' as const), version: fc.nat(families.versions.length - 1), closes: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: of('lose' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: of('ruin' as const), text: fc.constantFrom(...RUINS) }) },
);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });

/** Days offline, on which an outbox of bulky reports reaches its limits. */
const offline: fc.Arbitrary<Step> = fc.record({
  kind: of('days' as const),
  tab,
  days: fc.integer({ min: 3, max: 9 }),
  one: fc.boolean(),
  network: of('offline' as const),
});
const bulky: fc.Arbitrary<readonly Step[]> = fc.array(fc.oneof({ weight: 2, arbitrary: offline }, { weight: 1, arbitrary: step }), {
  minLength: 3,
  maxLength: 6,
  size: 'max',
});

const setupOf = (family: Setup['family']): fc.Arbitrary<Setup> =>
  fc.record({
    seed: fc.nat(1e6),
    kind: fc.constantFrom(
      { later: true, hasSpill: true, hasNews: true }, // a page
      { later: true, hasSpill: true, hasNews: true },
      { later: true, hasSpill: true, hasNews: false }, // a page that is notified late, or never
      { later: true, hasSpill: false, hasNews: false }, // a worker, a React Native app
      { later: false, hasSpill: false, hasNews: false }, // a program
    ),
    tabs: fc.constantFrom(1 as const, 2 as const),
    consent: fc.constantFrom('granted' as const, 'granted' as const, 'ask' as const),
    family: of(family),
    upload: fc.constantFrom('soon' as const, 'soon' as const, 'later' as const),
    sampleRate: fc.constantFrom(1, 1, 0.5),
    batchesPerDay: fc.constantFrom(1, 2, 8, 200),
  });

/** A device, and what happens to it. */
export const interleaving: fc.Arbitrary<readonly [Setup, readonly Step[]]> = fc.oneof(
  { weight: 199, arbitrary: fc.tuple(setupOf('versions'), steps) },
  { weight: 1, arbitrary: fc.tuple(setupOf('bulk'), bulky) },
);

/** Days on which everything is recorded. A message leaves in the day after its report's, so there are many. */
const passing: fc.Arbitrary<Step> = fc.record({
  kind: of('days' as const),
  tab,
  days: fc.integer({ min: 2, max: 4 }),
  one: of(false),
  network,
});

/** The same where every report goes through a relay. */
export const relayedInterleaving: typeof interleaving = fc.tuple(
  setupOf('relayed'),
  fc.array(fc.oneof({ weight: 7, arbitrary: step }, { weight: 1, arbitrary: passing }), { minLength: 5, maxLength: 30, size: 'max' }),
);

/**
 * The steps for a life that is compared with one in which metrics with `otherwise` are recorded less. A record is a step of the storage, so
 * a context must die at a time, not after a number of steps.
 */
export const byTime = (step: Step): Step => (step.kind === 'kill' ? { ...step, steps: -1 } : step);
