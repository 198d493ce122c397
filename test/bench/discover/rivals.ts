/**
 * Other designs that find strings without a list, each on the same devices at the same ε, with the same oracle for places: local hashing,
 * whose variance is near the least. So they differ in what is hashed and how it is decoded, and not in how a place is reported. Each looks
 * for bytes of the given alphabet only, which is an advantage over the design that ships.
 */

import { END, fmix32, type PrefixHashingLaw, placeOfText } from '@murmuration/shared';
import { levelSupports, levelsIn } from '#collector/estimation/prefixes.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { type Fleet, groupTallies } from '../../kit/string-fleet.ts';

/** A string and its estimated share. */
export type Answer = readonly [text: string, share: number];

/** A design: from a fleet to the strings that it finds, those with the largest estimates first. */
export type Design = (law: PrefixHashingLaw, fleet: Fleet, alphabet: readonly number[], word: () => number) => readonly Answer[];

/** How many prefixes PEM keeps, and how many strings every design lists. */
const KEPT = 100;

const textOf = (symbols: readonly number[]): string => String.fromCharCode(...symbols.filter((symbol) => symbol !== END));

/** The symbols of a text: its bytes, then END up to the most bytes. */
const symbolsOf = (text: string, longest: number): readonly number[] => {
  const bytes = [...Buffer.from(text)].slice(0, longest);
  return Array.from({ length: longest }, (_, i) => bytes[i] ?? END);
};

const descending = (answers: readonly Answer[]): readonly Answer[] => [...answers].sort(([, a], [, b]) => b - a);

/** PEM as published (Wang, Li, Jha 2019): no bins; the most frequent prefixes of each length are kept, and the last level estimates. */
export const pem: Design = (law, fleet, alphabet, word) => {
  const plain = { ...law, bins: 1 };
  const tallies = groupTallies(plain, law.longest, fleet, (level, text) => placeOfText(plain, level, text), word);
  const { levels } = levelsIn(plain, tallies);
  let kept: readonly string[] = [''];
  let ended: readonly string[] = [];
  let last: readonly Answer[] = [];
  levels.forEach(({ devices, reports }, level) => {
    const extended = kept.flatMap((prefix) => alphabet.map((symbol) => prefix + String.fromCharCode(symbol)));
    // A prefix that is as long as the level's, and a string that ended before, have different places, so both are candidates.
    const share = (text: string): number => (devices[placeOfText(plain, level, text)] as number) / reports;
    const going = extended.map((text): Answer => [text, share(text)]);
    const whole = [...ended, ...kept.filter((text) => text.length === level)].map((text): Answer => [text, share(text)]);
    const best = descending([...going, ...whole]).slice(0, KEPT);
    const isWhole = new Set(whole.map(([text]) => text));
    kept = best.filter(([text]) => !isWhole.has(text)).map(([text]) => text);
    ended = best.filter(([text]) => isWhole.has(text)).map(([text]) => text);
    last = best;
  });
  return last;
};

/** A place by any numbers. */
const mixed = (places: number, ...numbers: readonly number[]): number => {
  let hash = 0x2545f491;
  for (const number of numbers) hash = fmix32(hash ^ Math.imul(number + 1, 0x9e3779b1));
  return Math.floor(((hash >>> 0) * places) / 2 ** 32);
};

/** X of levels.ts by group and place, as shares. */
function sharesIn(law: PrefixHashingLaw, tallies: Tallies, groups: number): readonly Float64Array[] {
  const { chance, gain } = levelsIn({ ...law, longest: 1 }, new Map());
  return Array.from({ length: groups }, (_, group) => {
    const { reports = 0, cells = new Float64Array() } = tallies.get(group) ?? {};
    return levelSupports(law, cells).map((support) => (support / reports - chance) / gain);
  });
}

const BINS = 4096;

/**
 * Succinct histogram in the manner of Bassily and Smith (2015): a string's bin is a hash, and each device reports its bin with one symbol of
 * the code word. Here the code word is the string followed by nothing, and the bin itself is the check: a word whose hash is not its bin is
 * corrected at the least certain symbols.
 */
export const succinct: Design = (law, fleet, alphabet, word) => {
  const symbols = [...alphabet, END];
  const binOf = (text: string): number => mixed(BINS, ...symbolsOf(text, law.longest));
  const bins = new Map(fleet.map(([text]) => [text, binOf(text)]));
  const all = new Map(fleet.map(([text]) => [text, symbolsOf(text, law.longest)]));
  const place = (group: number, bin: number, symbol: number): number => mixed(law.places, group, bin, symbol);
  const tallies = groupTallies(
    law,
    law.longest,
    fleet,
    (group, text) => place(group, bins.get(text) as number, all.get(text)?.[group] as number),
    word,
  );
  const shares = sharesIn(law, tallies, law.longest);
  const answers: Answer[] = [];
  for (let bin = 0; bin < BINS; bin++) {
    const ranked = shares.map((level, group) =>
      symbols.map((symbol) => [symbol, level[place(group, bin, symbol)] as number] as const).sort(([, a], [, b]) => b - a),
    );
    const gaps = ranked.map(([first, second], group) => [(first?.[1] ?? 0) - (second?.[1] ?? 0), group] as const).sort(([a], [b]) => a - b);
    const weakest = gaps.slice(0, 4).map(([, group]) => group);
    // The word of the first symbols, then words with some of the weakest symbols exchanged for the second.
    for (let flips = 0; flips < 2 ** weakest.length; flips++) {
      const choice = ranked.map((each, group) => {
        const at = weakest.indexOf(group);
        return each[at >= 0 && (flips >> at) & 1 ? 1 : 0] as readonly [number, number];
      });
      const end = choice.findIndex(([symbol]) => symbol === END);
      const text = textOf(choice.slice(0, end < 0 ? undefined : end).map(([symbol]) => symbol));
      if (binOf(text) !== bin) continue;
      const own = symbolsOf(text, law.longest);
      const share = own.reduce((sum, symbol, group) => sum + (shares[group]?.[place(group, bin, symbol)] as number), 0) / law.longest;
      answers.push([text, share]);
      break;
    }
  }
  return descending(answers);
};

/**
 * Pairs of n-grams (Fanti, Pihur, Erlingsson 2016): each device draws two of the positions of its pairs of characters, and reports both
 * pairs together. Frequent pairs are edges; a string is a clique of all positions. Cliques grow position by position, the most frequent
 * first.
 */
export const ngrams: Design = (law, fleet, alphabet, word) => {
  const positions = Math.ceil(law.longest / 2);
  const pairs = Array.from({ length: positions }, (_, i) => i).flatMap((i) => Array.from({ length: i }, (_, j) => [j, i] as const));
  const gram = (symbols: readonly number[], position: number): number =>
    (symbols[2 * position] as number) * 257 + (symbols[2 * position + 1] ?? END);
  const all = new Map(fleet.map(([text]) => [text, symbolsOf(text, 2 * positions)]));
  const place = (group: number, one: number, other: number): number => mixed(law.places, group, one, other);
  const tallies = groupTallies(
    law,
    pairs.length,
    fleet,
    (group, text) => {
      const symbols = all.get(text) as readonly number[];
      const [i, j] = pairs[group] as readonly [number, number];
      return place(group, gram(symbols, i), gram(symbols, j));
    },
    word,
  );
  const shares = sharesIn(law, tallies, pairs.length);
  const grams = [...alphabet.flatMap((a) => alphabet.map((b) => a * 257 + b)), ...alphabet.map((a) => a * 257 + END), END * 257 + END];
  const edge = (j: number, i: number, one: number, other: number): number => {
    const group = pairs.findIndex(([a, b]) => a === j && b === i);
    return shares[group]?.[place(group, one, other)] as number;
  };
  let cliques: readonly (readonly [grams: readonly number[], share: number])[] = grams.map((one) => [[one], 0]);
  for (let position = 1; position < positions; position++) {
    const group0 = pairs.findIndex(([a, b]) => a === 0 && b === position);
    const next: (readonly [readonly number[], number])[] = [];
    for (const [own, sum] of cliques) {
      for (const other of grams) {
        // An ended string has no further characters.
        if ((own.at(-1) as number) % 257 === END && other !== END * 257 + END) continue;
        let total = sum + (shares[group0]?.[place(group0, own[0] as number, other)] as number);
        if (total <= 0) continue;
        for (let j = 1; j < position; j++) total += edge(j, position, own[j] as number, other);
        next.push([[...own, other], total]);
      }
    }
    next.sort(([, a], [, b]) => b - a);
    cliques = next.slice(0, 4 * KEPT);
  }
  return cliques
    .slice(0, KEPT)
    .map(([own, sum]): Answer => [textOf(own.flatMap((each) => [Math.floor(each / 257), each % 257])), sum / pairs.length]);
};
