/**
 * The randomizers of this version as a reference, on words that the audit chooses: words on either side of a threshold, and words with which two
 * answers give equal reports.
 */

import type { ResolvedQuestion } from '@murmuration/client/resolved';
import { createCoins } from '@murmuration/client/testing';
import { fromBase64url, type Law, type MetricDocument, toBase64url } from '@murmuration/shared';
import { shippedQuestions } from '../shipped.ts';
import { triedOf } from '../values.ts';
import type { Coin, Draw, Thrown } from './agent-api.ts';

const MODULUS = 2 ** 32;

/** A stage of a question. */
export type Stage = Draw['stage'];

type Question = ResolvedQuestion<never>;

/** Uniform words from a seed, so that an audit can be repeated. */
export function seededWords(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A report of a batch in hexadecimal digits. */
export const hexOfReport = (report: string): string => hexOf(fromBase64url(report));

/** The question of a metric with the randomizers of this version; undefined if this version has none. */
export function questionOf(metric: MetricDocument): Question | undefined {
  try {
    return shippedQuestions({ metrics: { metric } } as never)['metric'];
  } catch {
    return undefined;
  }
}

/** The input of an answer that a plan names; undefined if the question takes no such answer. */
export function inputOf(question: Question, answer: string): unknown {
  const input = question.input(answer as never);
  if (input !== undefined) return input;
  try {
    return question.input(JSON.parse(answer) as never);
  } catch {
    return undefined;
  }
}

/** Runs a stage on given words. It throws if they are too few. */
export function throwCoins(
  question: Question,
  law: Law,
  stage: Stage,
  input: unknown,
  words: readonly number[],
): Thrown & { readonly used: number } {
  const coins: Coin[] = [];
  let at = 0;
  const { flip, uniform } = createCoins(() => {
    const word = words[at++];
    if (word === undefined) throw new RangeError('words');
    return word;
  });
  const watched = {
    flip: (n: number) => {
      coins.push({ of: 'flip', n, at });
      return flip(n);
    },
    uniform: (n: number) => {
      coins.push({ of: 'uniform', n, at });
      return uniform(n);
    },
  };
  const randomize = (stage === 'report' ? question.respondStored : question.randomizers[law.mechanism]) as unknown as (
    law: Law,
    input: unknown,
    coins: typeof watched,
  ) => Uint8Array;
  const bytes = hexOf(randomize(law, input, watched));
  return { coins, bytes, used: at };
}

/** Words that a stage can't use up: so many that rejected ones are no matter. */
export function enoughWords(question: Question, law: Law, stage: Stage, input: unknown, word: () => number): readonly number[] {
  for (let length = 64; ; length *= 2) {
    const words = Array.from({ length }, word);
    try {
      const { used } = throwCoins(question, law, stage, input, words);
      return words.slice(0, used + 16);
    } catch (error) {
      if (!(error instanceof RangeError) || error.message !== 'words') throw error;
    }
  }
}

/** The words with one of them replaced. */
const withWord = (words: readonly number[], at: number, word: number): readonly number[] =>
  words.map((each, i) => (i === at ? word : each));

/** Words on both sides of each threshold, and at the ends of each die. At most so many coins are walked, spread evenly. */
export function wordsAround(coins: readonly Coin[], words: readonly number[], most: number): readonly (readonly number[])[] {
  const step = Math.max(1, coins.length / most);
  const walked = coins.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step) || i === 0);
  return walked.flatMap(({ of, n, at }) => {
    const ends = of === 'flip' ? [n - 1, n, 0, MODULUS - 1] : n < 2 ? [] : [0, n - 1, n, MODULUS - 1];
    return [...new Set(ends)].filter((word) => word >= 0 && word < MODULUS).map((word) => withWord(words, at, word));
  });
}

/** Words with the first coin that has a threshold on one side of it: just below, or at it. */
export function atThreshold(coins: readonly Coin[], words: readonly number[], isBelow: boolean): readonly number[] {
  const coin = coins.find(({ of, n }) => of === 'flip' && n > 0 && n < MODULUS);
  return coin ? withWord(words, coin.at, isBelow ? coin.n - 1 : coin.n) : words;
}

/** Words with which the coins of an input fall as given, where they can. */
function wordsFor(
  question: Question,
  law: Law,
  input: unknown,
  falls: readonly (boolean | number)[],
  word: () => number,
): readonly number[] {
  const words: number[] = [];
  let at = 0;
  const coins = {
    flip: (n: number) => {
      const isTrue = n > 0 && (n >= MODULUS || falls[at++] === true);
      words.push(isTrue ? word() % n : n + (word() % (MODULUS - n)));
      return isTrue;
    },
    uniform: (n: number) => {
      if (n < 2) return 0;
      const fallen = Number(falls[at++] ?? 0) % n;
      words.push(fallen);
      return fallen;
    },
  };
  (question.randomizers[law.mechanism] as unknown as (law: Law, input: unknown, coins: unknown) => Uint8Array)(law, input, coins);
  return words;
}

/** How the coins fall on words. */
function fallsOf(question: Question, law: Law, input: unknown, words: readonly number[]): readonly (boolean | number)[] {
  const falls: (boolean | number)[] = [];
  let at = 0;
  const { flip, uniform } = createCoins(() => words[at++] ?? 0);
  const coins = {
    flip: (n: number) => {
      const isTrue = flip(n);
      falls.push(isTrue);
      return isTrue;
    },
    uniform: (n: number) => {
      const fallen = uniform(n);
      if (n >= 2) falls.push(fallen);
      return fallen;
    },
  };
  (question.randomizers[law.mechanism] as unknown as (law: Law, input: unknown, coins: unknown) => Uint8Array)(law, input, coins);
  return falls;
}

/** The most words that are tried until two answers give equal reports. */
const MOST_TRIES = 4_000;

/** Words with which two inputs give the same bytes; undefined if none were found. */
export function twinWords(
  question: Question,
  law: Law,
  [one, two]: readonly [unknown, unknown],
  word: () => number,
): readonly [readonly number[], readonly number[]] | undefined {
  const run = (input: unknown, words: readonly number[]): Thrown & { readonly used: number } =>
    throwCoins(question, law, 'value', input, words);
  const seen = new Map<string, readonly number[]>();
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const words = enoughWords(question, law, 'value', one, word);
    const { bytes, used } = run(one, words);
    const first = wordsFor(question, law, one, fallsOf(question, law, one, words.slice(0, used)), word);
    seen.set(bytes, first);
    const alike = wordsFor(question, law, two, fallsOf(question, law, one, first), word);
    if (alike.length === first.length && run(two, alike).bytes === bytes) return [first, alike];
    const others = enoughWords(question, law, 'value', two, word);
    const other = run(two, others);
    const match = seen.get(other.bytes);
    if (match === undefined) continue;
    const second = wordsFor(question, law, two, fallsOf(question, law, two, others.slice(0, other.used)), word);
    if (second.length === match.length && run(two, second).bytes === other.bytes) return [match, second];
  }
  return undefined;
}

/** Inputs of a stage that are tried: of values, or symbols that those give. */
export function inputsOf(question: Question, metric: MetricDocument, stage: Stage, most: number, word: () => number): readonly unknown[] {
  const inputs = triedOf(metric)
    .values.map((value) => question.input(value as never))
    .filter((input) => input !== undefined)
    .slice(0, most);
  if (stage === 'value') return inputs;
  const { law } = metric;
  return inputs.map((input) => {
    const { bytes } = throwCoins(question, law, 'value', input, enoughWords(question, law, 'value', input, word));
    return toBase64url(Uint8Array.from(Buffer.from(bytes, 'hex')));
  });
}
