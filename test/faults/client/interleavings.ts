/** Random interleavings of all that can happen to a device, each lived by two people who differ in every answer. */

import * as fc from 'fast-check';
import type { Outcome } from '../outcome.ts';
import { createDevice, type Setup } from './device.ts';
import { people } from './device-schemas.ts';
import { finish, wrong } from './invariants.ts';
import { type Step, setup, steps, take } from './steps.ts';

async function live(
  kind: Setup,
  story: readonly Step[],
  person: number,
): Promise<{ readonly found: readonly string[]; readonly trace: string }> {
  const device = createDevice(kind, person);
  device.open(0);
  for (const step of story) await take(device, step);
  await finish(device);
  return { found: wrong(device), trace: device.evidence.trace.join('\n') };
}

/**
 * Tries so many interleavings.
 *
 * @param seed fast-check's
 */
export async function interleavings(runs: number, seed: number): Promise<Outcome> {
  let taken = 0;
  const property = fc.asyncProperty(setup, steps, async (kind, story) => {
    const lives = [];
    for (const person of people.keys()) lives.push(await live(kind, story, person));
    taken += story.length;
    const found = lives.flatMap(({ found }) => found);
    if (new Set(lives.map(({ trace }) => trace)).size > 1) found.push('what a device does depends on the values');
    if (found.length > 0) throw new Error([...new Set(found)].join('; '));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, { numRuns: runs, seed });
  return {
    fault: 'interleavings',
    tried: `${runs.toLocaleString('en')} interleavings, ${taken.toLocaleString('en')} steps, two people each, seed ${seed}`,
    seen: failed ? JSON.stringify(counterexample) : 'each report counted once or said to be dropped, no window over its budget',
    failures: failed ? [String((errorInstance as Error | undefined)?.message ?? errorInstance)] : [],
  };
}
