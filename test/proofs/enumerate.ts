/**
 * Exhaustion: the shipped randomizers over all strings of words below a small modulus, and so their exact distribution.
 *
 * Rejection makes strings of words endless, so `uniform` is proved by itself (enumerate.test.ts: values are equally
 * likely on the first word, and a rejected word only asks for the next), and here a branch in which it rejects is left
 * out: each accepted first word then has probability 1 / (how many are accepted).
 */

import { type Coins, createCoins } from '../../client/src/random/coins.ts';
import { type Rational, rational, sum } from './rational.ts';

/** Probabilities by the hexadecimal digits of a report, without those that are zero. */
export type Distribution = ReadonlyMap<string, Rational>;

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The hexadecimal digits of bytes; for the few of a report several times as fast as a Buffer's. */
export const hex = (bytes: Uint8Array): string => {
  let digits = '';
  for (const byte of bytes) digits += DIGITS[byte];
  return digits;
};

/** Thrown out of a `uniform` that rejected its first word. */
const REJECTED = Symbol('rejected');

/** What `uniform(n)` makes of a first word; undefined where it asks for another. */
export function firstDraw(word: number, n: number): number | undefined {
  let asked = 0;
  const source = (): number => {
    if (asked++ > 0) throw REJECTED;
    return word;
  };
  try {
    return createCoins(source).uniform(n);
  } catch (error) {
    if (error !== REJECTED) throw error;
    return undefined;
  }
}

/** How many first words `uniform(n)` accepts. */
function acceptedWords(n: number, modulus: number): number {
  let accepted = 0;
  for (let word = 0; word < modulus; word++) if (firstDraw(word, n) !== undefined) accepted++;
  return accepted;
}

/** The exact distribution of what `run` returns: depth first over words, one branch after the other, none pruned. */
export function exactDistribution(run: (coins: Coins) => Uint8Array, modulus: number): Distribution {
  const words: number[] = []; // of the branch that runs
  const accepted = new Map<number, number>();
  let at = 0; // how many of them were taken
  let allowed = 0; // how many the coin or die in hand may still take
  let weight = 1; // 1 / probability of the branch
  const shipped = createCoins(() => {
    if (allowed-- === 0) throw REJECTED;
    if (at === words.length) words.push(0);
    return words[at++] as number;
  });
  const draw = <T>(choices: number, drawn: () => T): T => {
    allowed = 1;
    weight *= choices;
    return drawn();
  };
  const coins: Coins = {
    flip: (threshold) => draw(modulus, () => shipped.flip(threshold)),
    uniform: (n) => {
      const choices = accepted.get(n) ?? acceptedWords(n, modulus);
      accepted.set(n, choices);
      return draw(choices, () => shipped.uniform(n));
    },
  };

  const branches = new Map<string, Map<number, number>>(); // by output and weight
  do {
    [at, weight] = [0, 1];
    try {
      const output = hex(run(coins));
      if (!Number.isSafeInteger(weight)) throw new RangeError('expected weights below 2^53');
      const counts = branches.get(output) ?? new Map<number, number>();
      branches.set(output, counts.set(weight, (counts.get(weight) ?? 0) + 1));
    } catch (error) {
      if (error !== REJECTED) throw error;
    }
    words.length = at;
    while (words.at(-1) === modulus - 1) words.pop();
    if (words.length > 0) words[words.length - 1] = (words.at(-1) as number) + 1;
  } while (words.length > 0);

  return new Map([...branches].map(([output, counts]) => [output, sum([...counts].map(([of, count]) => rational(count, of)))]));
}
