/**
 * Exhaustion: the shipped randomizers over all strings of words below a small modulus, and so their exact distribution.
 *
 * Words that a coin or a die decides alike lead to the same branch. The shipped coin is asked of every word once, and then a
 * branch is run for one word of each decision and weighs as many words as decide so.
 *
 * Rejection makes strings of words endless, so `uniform` is proved alone (coins.test.ts: values are equally likely on the
 * first word, and a rejected word only asks for the next), and here a branch in which it rejects is left out: each accepted
 * first word then has probability 1 / (how many are accepted).
 */

import { MODULUS } from '@murmuration/shared';
import { type Coins, createCoins } from '#client/random/coins.ts';
import { type Rational, rational, sum } from './rational.ts';

/** Probabilities by the hexadecimal digits of a report, without those that are zero. */
export type Distribution = ReadonlyMap<string, Rational>;

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The hexadecimal digits of bytes, without a Buffer for each of the many reports. */
export const hex = (bytes: Uint8Array): string => {
  let digits = '';
  for (const byte of bytes) digits += DIGITS[byte];
  return digits;
};

/** Thrown out of a coin or a die that asks for a second word. */
const REJECTED = Symbol('rejected');

/** What a coin or a die makes of a first word; undefined where it asks for another. */
function decided<T>(word: number, draw: (coins: Coins) => T): T | undefined {
  let asked = 0;
  const source = (): number => {
    if (asked++ > 0) throw REJECTED;
    return word;
  };
  try {
    return draw(createCoins(source));
  } catch (error) {
    if (error !== REJECTED) throw error;
    return undefined;
  }
}

/** What `uniform(n)` makes of a first word; undefined where it asks for another. */
export const firstDraw = (word: number, n: number): number | undefined => decided(word, ({ uniform }) => uniform(n));

/** The decisions that a coin or a die can come to, by its first word. */
interface Decisions {
  /** A word of each decision, and how many words decide so. */
  readonly ways: readonly { readonly word: number; readonly words: number }[];
  /** How many words decide at all. */
  readonly accepted: number;
}

/** The decisions of the shipped coin or die, asked of every word. */
function decisionsOf(modulus: number, draw: (coins: Coins) => boolean | number): Decisions {
  const found = new Map<boolean | number, { readonly word: number; words: number }>();
  let accepted = 0;
  for (let word = 0; word < modulus; word++) {
    const result = decided(word, draw);
    if (result === undefined) continue;
    accepted++;
    const way = found.get(result);
    if (way) way.words++;
    else found.set(result, { word, words: 1 });
  }
  return { ways: [...found.values()], accepted };
}

/**
 * The same of a device, whose words are too many to ask each: coins.test.ts proves that exactly the words below the threshold are
 * true, so the two words beside it stand for all; and that a die takes low bits, so there is a word for each side.
 */
function decisionsOnDevice(threshold: number | undefined, sides: number): Decisions {
  if (threshold === undefined) return { ways: Array.from({ length: sides }, (_, word) => ({ word, words: 1 })), accepted: sides };
  const both = [
    { word: threshold - 1, words: threshold },
    { word: threshold, words: MODULUS - threshold },
  ];
  return { ways: both.filter(({ words }) => words > 0), accepted: MODULUS };
}

const known = new Map<string, Decisions>();

/** One way that a randomizer can go. */
export interface Branch {
  /** Its probability is words / of. */
  readonly words: bigint;
  readonly of: bigint;
  /** What it drew, in order: 'coin', or 'die n' with its sides. A die of one side takes no word, and is not among them. */
  readonly draws: readonly string[];
}

/**
 * Coins that go all ways, for a run each: depth first, none pruned. `branch` says which way a run went, once it is over. Words are
 * below the modulus: a small one, or a device's own 2^32, as long as dice have few sides.
 */
export function* ways(modulus: number): Generator<{ readonly coins: Coins; readonly branch: () => Branch }> {
  const path: { readonly found: Decisions; way: number }[] = []; // of the branch that runs
  let draws: string[] = []; // of it so far
  let word: number | undefined; // of the coin or die in hand
  const shipped = createCoins(() => {
    if (word === undefined) throw new Error('expected a word for each coin and die in hand, and no other');
    const given = word;
    word = undefined;
    return given;
  });
  const take = <T extends boolean | number>(name: string, threshold: number | undefined, sides: number, draw: (coins: Coins) => T): T => {
    const at = draws.push(name) - 1;
    if (at === path.length) {
      const key = `${modulus} ${threshold} ${sides}`;
      const found = known.get(key) ?? (modulus === MODULUS ? decisionsOnDevice(threshold, sides) : decisionsOf(modulus, draw));
      known.set(key, found);
      path.push({ found, way: 0 });
    }
    const { found, way } = path[at] as (typeof path)[number];
    word = (found.ways[way] as Decisions['ways'][number]).word;
    return draw(shipped);
  };
  const coins: Coins = {
    flip: (threshold) => take('coin', threshold, 2, ({ flip }) => flip(threshold)),
    uniform: (n) => (n < 2 ? shipped.uniform(n) : take(`die ${n}`, undefined, n, ({ uniform }) => uniform(n))),
  };
  const branch = (): Branch => {
    let [words, of] = [1n, 1n];
    for (const { found, way } of path) {
      words *= BigInt((found.ways[way] as Decisions['ways'][number]).words);
      of *= BigInt(found.accepted);
    }
    return { words, of, draws };
  };
  do {
    draws = [];
    word = undefined;
    yield { coins, branch };
    if (draws.length !== path.length) throw new Error('expected a run that draws the same where the same words fell');
    let last = path.at(-1);
    while (last && last.way === last.found.ways.length - 1) {
      path.pop();
      last = path.at(-1);
    }
    if (last) last.way++;
  } while (path.length > 0);
}

/** Adds up the probabilities of outputs. */
export function collect(): { readonly add: (output: string, branch: Branch) => void; readonly distribution: () => Distribution } {
  const branches = new Map<string, Map<bigint, bigint>>(); // words by output and denominator
  return {
    add: (output, { words, of }) => {
      const counts = branches.get(output) ?? new Map<bigint, bigint>();
      branches.set(output, counts.set(of, (counts.get(of) ?? 0n) + words));
    },
    distribution: () =>
      new Map([...branches].map(([output, counts]) => [output, sum([...counts].map(([of, count]) => rational(count, of)))])),
  };
}

/** The exact distribution of what `run` returns. */
export function exactDistribution(run: (coins: Coins) => Uint8Array, modulus: number): Distribution {
  const { add, distribution } = collect();
  for (const { coins, branch } of ways(modulus)) add(hex(run(coins)), branch());
  return distribution();
}
