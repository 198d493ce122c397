/** Attacks on what leaves the team: they succeed where counts are exact or noise is careless, and are bounded by what was charged here. */

import { mostRight, SEED } from '@murmuration/examples/attacks/attack';
import * as averaging from '@murmuration/examples/attacks/averaging';
import * as collusion from '@murmuration/examples/attacks/collusion';
import * as differencing from '@murmuration/examples/attacks/differencing';
import * as lowBits from '@murmuration/examples/attacks/low-bits';
import { describe, expect, test } from 'vitest';
import { atMost } from '../proofs/statistics.ts';
import { atLeast, expectAbove, expectShown, expectWithin, FALSE_ALARM } from './attacks.ts';

/** Expects that no value came out so much more often in one of two worlds that ε could not hold. Both had as many attempts. */
function expectPrivate(first: ReadonlyMap<number, number>, second: ReadonlyMap<number, number>, epsilon: number): void {
  const values = [...new Set([...first.keys(), ...second.keys()])];
  for (const value of values) {
    const [a, b] = [first.get(value) ?? 0, second.get(value) ?? 0];
    // At most a share e^ε / (1 + e^ε) of the outcomes that look like this comes from either world.
    expectWithin(Math.max(a, b), a + b, mostRight(epsilon), 2 * values.length);
  }
}

describe('averaging the same question', async () => {
  const found = await averaging.attack(SEED);
  const { fresh, got, charged } = found;

  test('finds a device in fresh noise, more often than any ε of an analyst’s budget would allow', () => {
    const { right, attackers } = fresh.at(-1) as (typeof fresh)[number];
    expectAbove(right, attackers, mostRight(found.budget));
  });

  test('gets the stored answer from a ledger, and new ones until the budget is spent', () => {
    for (const each of got) expect(each).toEqual({ answers: 5, repeated: 20, left: 'ε 0' });
  });

  test('is right with charged answers as often as their ε allows, and no more', () => {
    for (const { answers, right, attackers } of charged) expectWithin(right, attackers, mostRight(answers / 5), charged.length);
  });

  test('is shown as it is', () => expectShown('averaging', averaging.picture(found)));
});

describe('collusion', async () => {
  const RUNS = 1000;
  const BOUND = 5;
  const found = await collusion.attack(SEED);
  const kept = (way: (typeof collusion.WAYS)[number], number: number): number =>
    collusion.errors(way, number, RUNS, SEED + 1).filter((error) => error <= BOUND).length;

  test.each(collusion.WAYS)('%s: as many colluders as the formula says keep the bound in 95 % of cases', (way) => {
    const hits = kept(way, collusion.colluders(way, BOUND));
    expect(atMost(hits, RUNS, 0.95)).toBeGreaterThan(FALSE_ALARM / 2);
    expect(atLeast(hits, RUNS, 0.95)).toBeGreaterThan(FALSE_ALARM / 2);
  });

  test('offsets make averaging costlier, and do not stop colluders who know them or ask for differences', () => {
    const [average, knowing, differences] = collusion.WAYS.map((way) => collusion.colluders(way, BOUND)) as [number, number, number];
    expect(knowing).toBeLessThan(differences);
    expect(differences).toBeLessThan(average);
    expect(atMost(kept('average', differences), RUNS, 0.95)).toBeLessThan(FALSE_ALARM);
  });

  test('the budget of the table stops all of them: it serves too few answers, whoever asks', () => {
    expect(found).toMatchObject({ served: 20, left: 'ε 0' });
    expect(atMost(kept('knowing', found.served), RUNS, 0.95)).toBeLessThan(FALSE_ALARM);
  });

  test('is shown as it is', () => expectShown('collusion', collusion.picture(found)));
});

describe('differencing two tables', async () => {
  const found = await differencing.attack(SEED);
  const { attempts, exact, ours, left } = found;

  test('shows one device in exact counts, although small counts are hidden', () => {
    expect(exact).toEqual([new Map([[0, attempts]]), new Map([[1, attempts]])]);
  });

  test('shows no more than the ε of both tables in released ones, and both are charged', () => {
    expectPrivate(...ours, 1);
    expectWithin(Math.round(2 * attempts * differencing.rightOf(ours, attempts)), 2 * attempts, mostRight(1));
    expect(left).toBe('ε 0');
  });

  test('is shown as it is', () => expectShown('differencing', differencing.picture(found)));
});

describe('low bits of Laplace noise', () => {
  const found = lowBits.attack(SEED);

  test('prove small counts under textbook noise: outputs that are possible for the count, and impossible for its neighbour', () => {
    for (const { own } of found.textbook) expect(own).toBe(found.draws);
    for (const { neighbour } of found.textbook.slice(0, 3)) expect(neighbour).toBeLessThan(found.draws);
  });

  test('prove a count of 0 at any ε, in 60 to 91 % of the outputs that were drawn', () => {
    const proved = found.epsilons.map(({ neighbour }) => Math.round(100 * (1 - neighbour / found.draws)));
    expect([Math.min(...proved), Math.max(...proved)]).toEqual([60, 91]);
  });

  test('say nothing on the grid: every output is possible for both, with probabilities within e^ε', () => {
    for (const output of found.ours.flat()) expect(lowBits.isOnGrid(output)).toBe(true);
    const tally = (outputs: readonly number[]): ReadonlyMap<number, number> =>
      outputs.reduce((all, output) => all.set(output, (all.get(output) ?? 0) + 1), new Map<number, number>());
    expectPrivate(tally(found.ours[0]), tally(found.ours[1]), 1);
  });

  test('are shown as they are', () => expectShown('low-bits', lowBits.picture(found)));
});
