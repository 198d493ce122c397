/** What can happen to a device, and how it happens. */

import * as fc from 'fast-check';
import type { Device, Page, Setup } from './device.ts';
import { METRICS, schemas } from './device-schemas.ts';
import type { Health } from './disk.ts';
import { WEATHERS, type Weather } from './network.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What a storage may be found to hold. */
const RUINS = [null, '', 'null', '{"v":1', '{"v":2,"accounts":{},"outbox":[]}', '{"v":1,"outbox":7}', '{"v":1,"accounts":{"dark":null}}'];

export type Step =
  | { readonly kind: 'record'; readonly tab: number; readonly metrics: readonly number[] }
  | { readonly kind: 'flush' | 'hide' | 'reload' | 'close'; readonly tab: number }
  | { readonly kind: 'crash'; readonly tab: number; readonly writes: number; readonly before: boolean }
  | { readonly kind: 'decide'; readonly tab: number; readonly agrees: boolean }
  | { readonly kind: 'weather'; readonly weather: Weather }
  | { readonly kind: 'storage'; readonly health: Health }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'turn clock'; readonly milliseconds: number }
  | { readonly kind: 'answers' }
  | { readonly kind: 'release'; readonly version: number }
  | { readonly kind: 'ruin'; readonly text: string | null };

const tab = fc.nat(1);
const metrics = fc.array(fc.nat(METRICS.length - 1), { minLength: 1, maxLength: 4 });
const milliseconds = fc.constantFrom(500, 5_000, 60_000, HOUR, 9 * HOUR, DAY, 3 * DAY, 8 * DAY, 20 * DAY, 31 * DAY);
const health = fc.constantFrom<Health>('works', 'works', 'full', 'unreadable', 'held');
const of = fc.constant;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: of('record' as const), tab, metrics }) },
  { weight: 6, arbitrary: fc.record({ kind: of('wait' as const), milliseconds }) },
  { weight: 4, arbitrary: fc.record({ kind: of('flush' as const), tab }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('hide' as const, 'reload' as const, 'close' as const), tab }) },
  { weight: 4, arbitrary: fc.record({ kind: of('weather' as const), weather: fc.constantFrom(...WEATHERS) }) },
  { weight: 2, arbitrary: fc.record({ kind: of('answers' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: of('crash' as const), tab, writes: fc.nat(3), before: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: of('decide' as const), tab, agrees: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: of('storage' as const), health }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: of('turn clock' as const),
      milliseconds: fc.tuple(milliseconds, fc.boolean()).map(([n, back]) => (back ? -n : n)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: of('release' as const), version: fc.nat(schemas.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: of('ruin' as const), text: fc.constantFrom(...RUINS) }) },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });

export const setup: fc.Arbitrary<Setup> = fc
  .record({
    seed: fc.nat(1e6),
    later: fc.boolean(),
    kind: fc.constantFrom('alone', 'alone', 'two with a lock', 'two with a lock', 'two without'),
    consent: fc.constantFrom('granted' as const, 'granted' as const, 'ask' as const),
  })
  .map(({ kind, ...rest }) => ({ ...rest, lock: kind === 'two with a lock', tabs: kind === 'alone' ? 1 : 2 }));

/** Lets a step happen. A page that is not there is opened instead. */
export async function take(device: Device, step: Step): Promise<void> {
  const { clock, disk, network, evidence, pages, setup } = device;
  const at = 'tab' in step ? step.tab % setup.tabs : 0;
  const page = pages[at];
  if ('tab' in step && page === undefined) device.open(at);
  else if ('tab' in step) onPage(device, page as Page, step, at);
  else if (step.kind === 'weather') network.set(step.weather);
  else if (step.kind === 'answers') network.catchUp();
  else if (step.kind === 'storage') disk.set(step.health);
  else if (step.kind === 'wait') clock.advance(step.milliseconds);
  else if (step.kind === 'turn clock') clock.set(new Date(clock.now() + step.milliseconds));
  else {
    for (const open of pages) open?.die();
    if (step.kind === 'release') device.release(step.version);
    else if (disk.text() !== null) {
      evidence.erased();
      if (step.text === null) evidence.reborn();
      disk.replace(step.text);
    }
    device.open(0);
  }
  await device.settle();
}

function onPage(device: Device, page: Page, step: Step & { readonly tab: number }, at: number): void {
  switch (step.kind) {
    case 'record':
      return device.record(page, step.metrics);
    case 'decide':
      return device.decide(page, step.agrees);
    case 'flush':
      return void page.telemetry.flush();
    case 'hide':
      return void page.hide();
    case 'reload':
      page.hide();
      page.die();
      return device.open(at);
    case 'close':
      void page.telemetry.close().then(() => page.die());
      return;
    case 'crash':
      page.fuse = { writes: step.writes, before: step.before };
  }
}
