/**
 * What a device says of one permanent metric over a history of values, as the exact distribution of its transcripts; and the most
 * that a transcript tells of a history. It is asked of any function of history and coins: a randomizer, a ledger, a whole device.
 */

import type { Coins } from '#client/random/coins.ts';
import { largestRatio } from './channel.ts';
import { collect, type Distribution, ways } from './enumerate.ts';
import type { Rational } from './rational.ts';

/** One value a slot, by its number. */
export type History = readonly number[];

/** All that a device sends, as text, given its history. It starts again with each call, and takes chance from the coins alone. */
export type Device = (history: History, coins: Coins) => string | PromiseLike<string>;

/** All histories of so many values below `size`. */
export const historiesOf = (size: number, slots: number): readonly History[] =>
  slots === 0 ? [[]] : historiesOf(size, slots - 1).flatMap((history) => Array.from({ length: size }, (_, value) => [...history, value]));

/** Distributions that were enumerated, by history and modulus: several requirements ask one device for the same. */
const known = new WeakMap<Device, Map<string, Promise<Distribution>>>();

/** The exact distribution of a device's transcripts, over all ways that coins below the modulus can fall. */
export function transcriptsOf(device: Device, history: History, modulus: number): Promise<Distribution> {
  const ofDevice = known.get(device) ?? new Map<string, Promise<Distribution>>();
  const key = `${history} of ${modulus}`;
  const found = ofDevice.get(key) ?? enumerated(device, history, modulus);
  known.set(device, ofDevice.set(key, found));
  return found;
}

async function enumerated(device: Device, history: History, modulus: number): Promise<Distribution> {
  const { add, distribution } = collect();
  for (const { coins, branch } of ways(modulus)) {
    const said = device(history, coins);
    add(typeof said === 'string' ? said : await said, branch());
  }
  return distribution();
}

/** The same of each history. */
export async function transcriptsOfAll(device: Device, histories: readonly History[], modulus: number): Promise<readonly Distribution[]> {
  const all: Distribution[] = [];
  for (const history of histories) all.push(await transcriptsOf(device, history, modulus));
  return all;
}

/** e^ε of a transcript: the largest ratio of its probabilities, over all transcripts and all ordered pairs of histories. */
export const lossOf = async (device: Device, histories: readonly History[], modulus: number): Promise<Rational> =>
  largestRatio(await transcriptsOfAll(device, histories, modulus));
