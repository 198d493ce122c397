/** Coins and dice, over every word; and that exhaustion itself finds the distributions that it should. */

import { seededRng } from '@murmuration/client/testing';
import { words } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { type Coins, createCoins } from '#client/random/coins.ts';
import { range } from './channel.ts';
import { exactDistribution, firstDraw } from './enumerate.ts';
import { rational } from './rational.ts';

const MODULI = [16, 32, 64, 128, 256];

/** Coins that take these words, and how many are left. */
function scripted(words: readonly number[]): { readonly coins: Coins; readonly left: () => number } {
  const rest = [...words];
  return { coins: createCoins(() => rest.shift() ?? Number.NaN), left: () => rest.length };
}

describe.each(MODULI)('with words below %i', (modulus) => {
  test('a coin of threshold t is true for exactly t words, and takes one', () => {
    for (let threshold = 0; threshold <= modulus; threshold++) {
      const outcomes = range(modulus).map((word) => {
        const { coins, left } = scripted([word, 0]);
        return [coins.flip(threshold), left()] as const;
      });
      expect(outcomes.filter(([heads]) => heads)).toHaveLength(threshold);
      expect(outcomes.every(([, left]) => left === 1)).toBe(true);
    }
  });

  test('a die of n sides gives each side on equally many first words, and rejects less than half of the words', () => {
    for (let n = 1; n <= modulus; n++) {
      const drawn = range(modulus).map((word) => firstDraw(word, n));
      const counts = range(n).map((side) => drawn.filter((value) => value === side).length);
      const rejected = drawn.filter((value) => value === undefined).length;
      const held = 2 ** Math.ceil(Math.log2(n)); // by the fewest bits that hold the sides
      expect(new Set(counts), `${n} sides`).toEqual(new Set([modulus / held]));
      expect(rejected, `${n} sides`).toBe((modulus / held) * (held - n));
    }
  });

  test('a die of one side takes no word', () => {
    const { coins, left } = scripted([]);
    expect([coins.uniform(1), left()]).toEqual([0, 0]);
  });

  test('a rejected word asks for the next and has no other effect', () => {
    for (const n of range(modulus).map((i) => i + 1)) {
      for (const word of range(modulus).filter((first) => firstDraw(first, n) === undefined)) {
        const { coins, left } = scripted([word, word, n - 1, 0]);
        expect([coins.uniform(n), left()]).toEqual([n - 1, 1]);
      }
    }
  });
});

test('with words of 32 bits a die takes the fewest low bits that hold its sides', () => {
  for (const n of [2, 3, 15, 1023, 65_535, 2 ** 24 - 3, 2 ** 31 + 1, 2 ** 32]) {
    const held = 2 ** Math.ceil(Math.log2(n));
    const high = 2 ** 32 - held; // all the other bits
    expect(scripted([high + n - 1]).coins.uniform(n)).toBe(n - 1);
    if (n < held) expect(scripted([high + n, high + held - 1, high]).coins.uniform(n)).toBe(0);
  }
});

test('words are those of the source, each once and in its order, whatever is asked at a time', () => {
  let filled = 0;
  const word = words((bytes) => {
    const view = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let i = 0; i < view.length; i++) view[i] = filled++ * 2_654_435_761;
  });
  for (let n = 0; n < 1000; n++) expect(word()).toBe(Number((BigInt(n) * 2_654_435_761n) % 2n ** 32n));
});

test('a source that fails gives no word, and is asked again for the next', () => {
  let asked = 0;
  const word = words((bytes) => {
    if (asked++ === 0) throw new Error('no entropy');
    seededRng(1)(bytes);
  });
  expect(word).toThrow('no entropy');
  expect(word()).toBe(words(seededRng(1))());
});

test('exhaustion finds the distribution of a coin and a die exactly', () => {
  const run = (coins: Coins): Uint8Array => Uint8Array.of(coins.flip(5) ? coins.uniform(3) : 9);
  const third = rational(5, 48);
  expect(exactDistribution(run, 16)).toEqual(
    new Map([
      ['00', third],
      ['01', third],
      ['02', third],
      ['09', rational(11, 16)],
    ]),
  );
});

test('exhaustion loses nothing: what it leaves out for rejection is made up by the weights', () => {
  const run = (coins: Coins): Uint8Array => Uint8Array.of(coins.uniform(7) + 16 * coins.uniform(5), coins.uniform(3));
  const found = exactDistribution(run, 32);
  expect(found.size).toBe(105);
  for (const probability of found.values()) expect(probability).toEqual(rational(1, 105));
});
