/**
 * Reports that are sent alone are hardly joined by the times at which they arrive. Fleets run the shipped client; the attacker knows arrival
 * times, dates and metrics, and no address. `npm run bench -- linkage` has more habits, more devices, and what the mode costs.
 */

import { describe, expect, test } from 'vitest';
import { attack, poissonTail } from '../kit/linkage/attacker.ts';
import { arrivalsOf, type Fleet, sixOfTwelve } from '../kit/linkage/fleet.ts';
import { bursts, daily, MINUTE, threeDays } from '../kit/linkage/habits.ts';
import { first } from '../setup/effort.ts';

const NEVER = 1e-6;
const base: Omit<Fleet, 'seed'> = { schema: sixOfTwelve('alone'), habit: daily(2 * MINUTE), devices: 120, days: 10 };
const sightings = (fleet: Omit<Fleet, 'seed'>) => async (seed: number) => (await arrivalsOf({ ...fleet, seed })).sightings;

describe('an attacker joins two reports of a device at most twice as often as chance', () => {
  // A pair counts once, though both of its reports may name the other, so that pairs are rare and nearly independent. If the attacker is right
  // twice as often as chance, as many pairs as these or more come with a probability of less than one in a million. A fourfold chance fails.
  test.each(
    first(
      [
        ['visits of two minutes', base],
        ['a collector that answers 503 in bursts', { ...base, down: bursts }],
        ['three days offline', { ...base, offline: threeDays }],
        ['three visits a day', { ...base, habit: daily(2 * MINUTE, 3) }],
      ],
      2,
    ),
  )('%s', async (_, fleet) => {
    const { reports, pairs, chance } = await attack(sightings(fleet), 3);
    expect(reports).toBeGreaterThan(1_500);
    expect(poissonTail(pairs, 2 * chance)).toBeGreaterThan(NEVER);
  });
});

test('reports that are sent together are joined always, by their batch', async () => {
  const { reports, right } = await attack(sightings({ ...base, schema: sixOfTwelve('together'), devices: 40 }), 1);
  expect([reports, right]).toEqual([240, 240]);
});
