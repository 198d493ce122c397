/** The parts of a round: seeded draws, the production randomizers, and the collector's sums of the reports. */

import type { DeviceQuestion } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type Law, mechanismOf, toBase64url } from '@murmuration/shared';
import type { Tallies } from '../../estimation/tally.ts';
import { Accumulator } from '../../storage/tallying/accumulator.ts';
import { sampler } from './distribution.ts';
import type { DaysErrors, RoundErrors, Simulation } from './simulation.ts';

type Coins = ReturnType<typeof createCoins>;

/** The sources of randomness of a round, in the order in which they are used. */
interface Draws {
  readonly coins: Coins;
  /** Draws the index of an answer, by its share. */
  readonly draw: () => number;
}

export function drawsOf({ shares }: Simulation, seed: number): Draws {
  const word = words(seededRng(seed));
  return { coins: createCoins(word), draw: sampler(shares, () => word() / 2 ** 32) };
}

/** The share of each answer among those drawn for the clients. */
export function sharesOf(drawn: Iterable<number>, answers: number, clients: number): readonly number[] {
  const counts = Array<number>(answers).fill(0);
  for (const answer of drawn) counts[answer] = (counts[answer] as number) + 1;
  return counts.map((count) => count / clients);
}

/** A device's reactions to an input, and to the symbol that it stores for a permanent metric. */
export interface Device {
  readonly randomize: (input: unknown) => Uint8Array;
  readonly respond: (symbol: string) => Uint8Array;
}

/** The randomizers of a question. */
export type Randomizing = Pick<DeviceQuestion<never>, 'randomizers' | 'respondStored'>;

/** A device that answers by a law. */
export function deviceOf({ randomizers, respondStored }: Randomizing, law: Law, coins: Coins): Device {
  const randomize = randomizers[law.mechanism] as unknown as (law: Law, input: unknown, coins: Coins) => Uint8Array;
  return {
    randomize: (input) => randomize(law, input, coins),
    respond: (symbol) => (respondStored as NonNullable<typeof respondStored>)(law, symbol, coins),
  };
}

/** An empty sum of reports. */
export const folderOf = (law: Law): Accumulator => new Accumulator(mechanismOf(law).shape(law));

/** Sums of the first day's reports and of all days' reports; the same object when there is only one day. */
interface DaySums {
  readonly first: Accumulator;
  readonly all: Accumulator;
}

export function daySumsOf(law: Law, { days = 1 }: Simulation): DaySums {
  const first = folderOf(law);
  return { first, all: days > 1 ? folderOf(law) : first };
}

/** Adds a device's reports of its symbol, day by day. */
export function addDays({ first, all }: DaySums, { permanent, days = 1 }: Simulation, { respond }: Device, symbol: Uint8Array): void {
  for (let day = 0; day < days; day++) {
    const report = permanent === undefined ? symbol : respond(toBase64url(symbol));
    all.addReport(report);
    if (day === 0 && all !== first) first.addReport(report);
  }
}

/** The errors of estimates from both sums, given the number of reports of each device. */
export const overDays = (
  { first, all }: DaySums,
  { days = 1 }: Simulation,
  errors: (tallies: Tallies, perDevice: number) => RoundErrors,
): DaysErrors => ({ ...errors(first.tallies(), 1), allDays: errors(all.tallies(), days) });
