/** What can happen to a device: stories at random. */

import * as fc from 'fast-check';
import type { Setup } from './device.ts';
import { families, METRICS } from './device-schemas.ts';
import type { Health } from './disk.ts';
import { WEATHERS, type Weather } from './network.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** What a storage may be found to hold. */
export const RUINS: readonly (string | null)[] = [
  null,
  '',
  'null',
  '{"v":1',
  '{"v":2,"accounts":{},"outbox":[]}',
  '{"v":1,"outbox":7}',
  '{"v":1,"accounts":{"dark":null}}',
];

export type Step =
  | { readonly kind: 'record'; readonly tab: number; readonly metrics: readonly number[] }
  | { readonly kind: 'flush' | 'hide' | 'reload' | 'close'; readonly tab: number }
  | { readonly kind: 'crash'; readonly tab: number; readonly writes: number; readonly before: boolean }
  | { readonly kind: 'days'; readonly tab: number; readonly days: number; readonly one: boolean; readonly offline: boolean }
  | { readonly kind: 'waver'; readonly tab: number; readonly refusal: 'deny' | 'forget'; readonly other: number }
  | { readonly kind: 'hand over'; readonly tab: number; readonly metrics: readonly number[] }
  | { readonly kind: 'silence' }
  | { readonly kind: 'decide'; readonly tab: number; readonly decision: 'grant' | 'deny' | 'forget' }
  | { readonly kind: 'weather'; readonly weather: Weather }
  | { readonly kind: 'storage'; readonly health: Health }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'turn clock'; readonly milliseconds: number }
  | { readonly kind: 'answers' }
  | { readonly kind: 'release'; readonly version: number }
  | { readonly kind: 'ruin'; readonly text: string | null };

const tab = fc.nat(1);
const metrics = fc.array(fc.nat(METRICS.versions.length - 1), { minLength: 1, maxLength: 4 });
const milliseconds = fc.constantFrom(500, 5_000, 60_000, HOUR, 9 * HOUR, DAY, 3 * DAY, 8 * DAY, 20 * DAY, 31 * DAY);
const health = fc.constantFrom<Health>('works', 'works', 'full', 'shaky', 'unreadable', 'held');
const decision = fc.constantFrom('grant' as const, 'grant' as const, 'grant' as const, 'deny' as const, 'deny' as const, 'forget' as const);
const of = fc.constant;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: of('record' as const), tab, metrics }) },
  { weight: 6, arbitrary: fc.record({ kind: of('wait' as const), milliseconds }) },
  { weight: 4, arbitrary: fc.record({ kind: of('flush' as const), tab }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('hide' as const, 'reload' as const, 'close' as const), tab }) },
  { weight: 4, arbitrary: fc.record({ kind: of('weather' as const), weather: fc.constantFrom(...WEATHERS) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('answers' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: of('crash' as const), tab, writes: fc.nat(3), before: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: of('decide' as const), tab, decision }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: of('days' as const),
      tab,
      days: fc.integer({ min: 1, max: 9 }),
      one: fc.boolean(),
      offline: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: of('waver' as const), tab, refusal: fc.constantFrom('deny' as const, 'forget' as const), other: tab }),
  },
  { weight: 1, arbitrary: fc.record({ kind: of('hand over' as const), tab, metrics }) },
  { weight: 1, arbitrary: fc.record({ kind: of('silence' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('record' as const), tab, metrics: of([5, 6]) }) },
  { weight: 3, arbitrary: fc.record({ kind: of('storage' as const), health }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: of('turn clock' as const),
      milliseconds: fc.tuple(milliseconds, fc.boolean()).map(([n, back]) => (back ? -n : n)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: of('release' as const), version: fc.nat(families.versions.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: of('ruin' as const), text: fc.constantFrom(...RUINS) }) },
);

const steps: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });

/** Days offline, on which an outbox of bulky reports comes to its bounds. */
const offline = fc.record({
  kind: of('days' as const),
  tab,
  days: fc.integer({ min: 3, max: 9 }),
  one: fc.boolean(),
  offline: fc.oneof({ weight: 7, arbitrary: of(true) }, { weight: 1, arbitrary: of(false) }),
});
const bulky: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof({ weight: 2, arbitrary: offline as fc.Arbitrary<Step> }, { weight: 1, arbitrary: step }),
  { minLength: 3, maxLength: 6, size: 'max' },
);

const setup: fc.Arbitrary<Omit<Setup, 'family'>> = fc
  .record({
    seed: fc.nat(1e6),
    later: fc.boolean(),
    kind: fc.constantFrom(
      'alone',
      'alone',
      'alone',
      'two with a lock',
      'two with a lock',
      'two with a lock',
      'two without news',
      'two without',
    ),
    consent: fc.constantFrom('granted' as const, 'granted' as const, 'ask' as const),
    upload: fc.constantFrom('soon' as const, 'soon' as const, 'later' as const),
    sample: fc.constantFrom(1, 1, 0.5),
    batchesPerDay: fc.constantFrom(1, 2, 8, 200),
  })
  .map(({ kind, ...rest }) => ({
    ...rest,
    lock: kind.startsWith('two with') && kind !== 'two without',
    news: kind === 'two with a lock',
    tabs: kind === 'alone' ? 1 : 2,
  }));

/** A device of a family, and a story for it. */
const storyOf = <F extends Setup['family']>(
  family: F,
  story: fc.Arbitrary<readonly Step[]>,
): fc.Arbitrary<readonly [Setup, readonly Step[]]> =>
  fc.tuple(
    setup.map((rest) => ({ ...rest, family })),
    story,
  );

/** A device, and what happens to it. */
export const interleaving: fc.Arbitrary<readonly [Setup, readonly Step[]]> = fc.oneof(
  { weight: 199, arbitrary: storyOf('versions', steps) },
  { weight: 1, arbitrary: storyOf('bulk', bulky) },
);

/**
 * What can happen in a life that is compared with another in which metrics with `otherwise` are recorded differently. Their reports are
 * stored at other times, so a page must not die of a write; a write that fails drops the report of its answer, and says so; and a
 * clock that goes back is held at the greatest day that was stored.
 */
export const mild = (step: Step): Step => {
  if (step.kind === 'crash') return { ...step, writes: -1 };
  if (step.kind === 'storage' && (step.health === 'full' || step.health === 'shaky')) return { ...step, health: 'works' };
  if (step.kind === 'turn clock') return { ...step, milliseconds: Math.abs(step.milliseconds) };
  return step;
};
