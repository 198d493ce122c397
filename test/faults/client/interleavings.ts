/**
 * Random interleavings of everything that can happen to a device. Each is run with two people who differ in every answer, and with one who
 * records less.
 */

import { seededRng } from '@murmuration/client/testing';
import * as fc from 'fast-check';
import type { Outcome } from '../outcome.ts';
import { createDevice, type Person, type Setup } from './device.ts';
import { finish, wrong } from './end.ts';
import type { Oracle } from './oracle.ts';
import { steadyRng } from './steady-rng.ts';
import { byTime, interleaving, type Step } from './steps.ts';
import { take } from './take-step.ts';

/** Two people whose answers are never the same, with the same coins. */
const ANSWERS: readonly Person[] = [0, 1].map((answers) => ({ answers, occurs: true, rng: seededRng }));
/** Two people, one of whom never does what metrics with `otherwise` ask about. */
const PRESENCE: readonly Person[] = [true, false].map((occurs) => ({ answers: 0, occurs, rng: steadyRng }));

async function live(
  kind: Setup,
  steps: readonly Step[],
  person: Person,
): Promise<{ readonly found: readonly string[]; readonly oracle: Oracle }> {
  const device = createDevice(kind, person);
  device.open(0);
  for (const step of steps) await take(device, step);
  await finish(device);
  return { found: wrong(device), oracle: device.oracle };
}

/** The violations in the runs of several people, and the first observable difference between them. */
async function compare(
  kind: Setup,
  steps: readonly Step[],
  persons: readonly Person[],
  seen: (oracle: Oracle) => readonly string[],
  what: string,
): Promise<readonly string[]> {
  const lives = [];
  for (const person of persons) lives.push(await live(kind, steps, person));
  const found = lives.flatMap(({ found }) => found);
  const [one = [], other = []] = lives.map(({ oracle }) => seen(oracle));
  const at = one.findIndex((line, i) => line !== other[i]);
  if (at >= 0 || one.length !== other.length) found.push(`${what} (${one.at(at)} | ${other.at(at)})`);
  return found;
}

/**
 * Runs this many interleavings.
 *
 * @param seed the seed of fast-check
 */
export async function interleavings(runs: number, seed: number, kind: typeof interleaving = interleaving): Promise<Outcome> {
  let taken = 0;
  const property = fc.asyncProperty(kind, async ([setup, steps]) => {
    taken += steps.length;
    const found = [
      ...(await compare(setup, steps, ANSWERS, ({ trace }) => trace, 'what a device does depends on the values')),
      // Through a relay a report leaves at a moment that follows from its id, and the ids of these two lives differ (steady-rng.ts). There
      // the exact coupling compares lives with and without records.
      ...(setup.family === 'relayed'
        ? []
        : await compare(
            setup,
            steps.map(byTime),
            PRESENCE,
            ({ uploads }) => uploads,
            'what a device sends depends on whether anything was recorded',
          )),
    ];
    if (found.length > 0) throw new Error([...new Set(found)].join('; '));
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, { numRuns: runs, seed });
  return {
    fault: kind === interleaving ? 'interleavings' : 'interleavings through a relay',
    tried: `${runs.toLocaleString('en')} interleavings, ${taken.toLocaleString('en')} steps, ${kind === interleaving ? 'four' : 'two'} lives each, seed ${seed}`,
    seen: failed ? JSON.stringify(counterexample?.[0]) : 'each report counted once or said to be dropped, no window over its budget',
    failures: failed ? [String((errorInstance as Error | undefined)?.message ?? errorInstance)] : [],
  };
}
