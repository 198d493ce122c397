/** Attacks on what devices send: repeated answers, linking, batches, poisoning. What the laws do not stop is tested as well, and is said in the docs. */

import { mostRight, SEED } from '@murmuration/examples/attacks/attack';
import * as batches from '@murmuration/examples/attacks/batches';
import * as linking from '@murmuration/examples/attacks/linking';
import * as poisoning from '@murmuration/examples/attacks/poisoning';
import * as repeatedAnswers from '@murmuration/examples/attacks/repeated-answers';
import { describe, expect, test } from 'vitest';
import { normalTail } from '#collector/estimation/statistics/tails.ts';
import { atMost } from '../proofs/statistics.ts';
import { expectAbove, expectShown, expectWithin, FALSE_ALARM } from './attacks.ts';

describe('averaging a device’s repeated answers', () => {
  const found = repeatedAnswers.attack(SEED);
  const { devices, fresh, year, month } = found;

  test('finds the answer if it is randomized again each day', () => {
    expectAbove(fresh.at(-1)?.right ?? 0, devices.fresh, mostRight(1));
  });

  test('finds no more than ε∞ allows of a permanent metric, on any day', () => {
    for (const { right, epochs } of year) {
      expect(epochs).toBe(1);
      expectWithin(right, devices.kept, mostRight(1), year.length);
    }
  });

  test('finds more with each renewal, and no more than the ε∞ of all epochs allows', () => {
    for (const { right, epochs } of month) expectWithin(right, devices.kept, mostRight(epochs), month.length);
    expect(month.at(-1)?.epochs).toBe(7);
    expectAbove(month.at(-1)?.right ?? 0, devices.kept, mostRight(1));
  });

  test('is shown as it is', () => expectShown('repeated-answers', repeatedAnswers.picture(found)));
});

describe('linking a device by its permanent response', () => {
  const found = linking.attack(SEED);
  /** Crowds in which every device is looked for, so that exactly one search of a crowd is right by chance on average. */
  const whole = (all: readonly linking.Linked[]) => all.filter(({ crowd }) => crowd <= 256);

  test('works while the symbol is kept, and better where a segment is known', () => {
    for (const [i, { crowd, searches, right }] of found.epoch.entries()) {
      expectAbove(right, searches, 1 / crowd);
      expect(found.segment[i]?.right).toBeGreaterThanOrEqual(right);
    }
  });

  // Given the reports of the crowd, searches are independent, and the chances of a crowd's add up to 1. A binomial with the same mean has
  // larger tails (Hoeffding 1956).
  test('is chance once the symbol is renewed, if all answers are the same', () => {
    for (const { crowd, searches, right } of whole(found.renewed)) {
      expectWithin(right, searches, 1 / crowd, 2 * whole(found.renewed).length);
      expect(atMost(right, searches, 1 / crowd)).toBeGreaterThan(FALSE_ALARM / (2 * whole(found.renewed).length));
    }
  });

  // Replacing the report that is looked for by one of a fixed answer changes each chance by at most e^ε, and then they add up to 1.
  test('is at most e^ε times chance once the symbol is renewed, whatever the answers are', () => {
    const { renewed } = linking.attack(SEED, 16);
    for (const { crowd, searches, right } of whole(renewed).filter((each) => each.crowd > Math.exp(linking.EPSILON)))
      expectWithin(right, searches, Math.exp(linking.EPSILON) / crowd, whole(renewed).length);
  });

  test('is shown as it is', () => expectShown('linking', linking.picture(found)));
});

describe('linking batches by what they show', async () => {
  const found = await batches.attack(SEED);
  const all = Object.entries(found).flatMap(([name, { together, alone }]) => [
    { name, sending: 'together' as const, joined: together },
    { name, sending: 'alone' as const, joined: alone },
  ]);

  test('joins more than half where reports are sent together, in crowds of all sizes', () => {
    for (const { together } of [found.names, found.cohorts]) for (const { searches, right } of together) expectAbove(right, searches, 0.5);
  });

  // Given what batches show, guesses are independent. A binomial with the same mean has larger tails (Hoeffding 1956).
  test('is right as often as the number of batches that show the same allows', () => {
    for (const { joined } of all) {
      for (const { searches, right, expected } of joined) {
        const share = Math.min(expected / searches, 1 - 1e-9); // where all batches differ it is 1, up to rounding
        expectWithin(right, searches, share, 4 * joined.length);
        expect(atMost(right, searches, share)).toBeGreaterThan(FALSE_ALARM / (4 * joined.length));
      }
    }
  });

  test('joins one in so many as show the same name or the same cohort, where reports are sent alone', () => {
    const last = (joined: readonly batches.Joined[]): batches.Joined => joined.at(-1) as batches.Joined;
    for (const [{ searches, right, crowd }, groups] of [
      [last(found.names.alone), 2],
      [last(found.cohorts.alone), 64],
    ] as const) {
      // A group may by chance be half of what is expected.
      expectWithin(right, searches, (2 * groups) / crowd);
    }
  });

  test('is shown as it is', () => expectShown('batches', batches.picture(found)));
});

describe('poisoning', () => {
  const found = poisoning.attack(SEED);
  const all = poisoning.LIES.flatMap((lie) => found.found[lie].map((each) => ({ lie, ...each })));

  test('promotes a string', () => {
    const { estimate, standardError } = all.findLast(({ lie }) => lie === 'one bit') as (typeof all)[number];
    expect(normalTail((estimate - poisoning.TRUTH) / standardError)).toBeLessThan(FALSE_ALARM);
  });

  test('moves an estimate by no more than the watch states, however liars lie', () => {
    for (const lie of poisoning.LIES) {
      const [honest, ...poisoned] = found.found[lie];
      for (const { share, estimate, watch } of poisoned) {
        // The reports that liars replace have noise, and so have their own.
        const noise = (honest?.standardError ?? 0) * Math.sqrt(2 * share);
        const beyond = estimate - (honest?.estimate ?? 0) - 100 * share * (watch.perPercent ?? 0);
        expect(normalTail(beyond / noise)).toBeGreaterThan(FALSE_ALARM / all.length);
      }
    }
  });

  test('is seen by the watch from the first ten crude reports on, and not at all if liars randomize or imitate the noise', () => {
    for (const { lie, share, watch } of all) {
      if (lie === 'one bit' && share > 0) expect(watch.pValue).toBeLessThan(FALSE_ALARM);
      else expect(watch.pValue).toBeGreaterThan(FALSE_ALARM / all.length);
    }
  });

  test('is shown as it is', () => expectShown('poisoning', poisoning.picture(found)));
});
