/**
 * Frequent items of sets whose items nobody has listed, at the same total ε. A device has up to `MOST` words. One phase: it draws one of
 * `MOST` places of its set, and reports the item there, or the empty string, by `discover`. Two phases (LDPMiner; Qin, Yang, Yu, Khalil,
 * Xiao, Ren 2016, "Heavy Hitter Estimation over Set-Valued Data with Local Differential Privacy"): the first finds candidates in that way,
 * and the second asks `choices` of these. Each device answers both with half of ε, as published, or half of the devices answer each with
 * all of it. The second phase has the subsets of PrivSet, whose error is below that of LDPMiner's own second phase.
 */

import { MODULUS, prefixHashingLaw, privSet, setLaw } from '@murmuration/shared';
import { discover } from '#collector/decoding/discovery/discover.ts';
import { search } from '#collector/decoding/discovery/search.ts';
import { Ranks } from '#collector/decoding/discovery/select.ts';
import { levelsIn } from '#collector/estimation/prefixes.ts';
import { sampler } from '#collector/planning/simulate/simulation.ts';
import { type Fleet, talliesOf } from '../../kit/string-fleet.ts';
import type { Answer } from './rivals.ts';

const MOST = 8;
const LONGEST = 16;
const WIDTH = 8_192;
/** Candidates of a second phase besides those that the first is sure of: of 60, 200 and 800, 60 find the most. */
const CANDIDATES = 60;

/** Devices that each have a set. */
interface Sets {
  /** Places of each device: numbers of texts, or -1. */
  readonly items: Int32Array;
  readonly texts: readonly string[];
}

type Random = () => number;

/** Draws sets of 1 to `MOST` different words, as many of each size. */
export function setsOf(texts: readonly string[], shares: readonly number[], devices: number, random: Random): Sets {
  const draw = sampler(shares, random);
  const items = new Int32Array(devices * MOST).fill(-1);
  for (let at = 0; at < items.length; at += MOST) {
    const size = 1 + Math.floor(random() * MOST);
    for (let i = 0; i < size; ) {
      const own = draw();
      if (items.subarray(at, at + i).includes(own)) continue;
      items[at + i++] = own;
    }
  }
  return { items, texts };
}

/** The share of the sets that hold each text, largest first. */
export function truthOf({ items, texts }: Sets): readonly Answer[] {
  const counts = new Map<number, number>();
  for (const item of items) if (item >= 0) counts.set(item, (counts.get(item) ?? 0) + 1);
  const devices = items.length / MOST;
  return [...counts].sort(([, a], [, b]) => b - a).map(([item, count]) => [texts[item] as string, count / devices]);
}

const partOf = ({ items, texts }: Sets, from: number, to: number): Sets => ({
  items: items.subarray(Math.floor((from * items.length) / MOST) * MOST, Math.floor((to * items.length) / MOST) * MOST),
  texts,
});

/** What `discover` says of a sampled place: shares of sets, and the strings with the most evidence, significant or not. */
function sampled({ items, texts }: Sets, epsilon: number, random: Random) {
  const counts = new Map<number, number>();
  for (let at = 0; at < items.length; at += MOST) {
    const item = items[at + Math.floor(random() * MOST)] as number;
    counts.set(item, (counts.get(item) ?? 0) + 1);
  }
  const fleet: Fleet = [...counts].map(([item, count]) => [texts[item] ?? '', count]);
  const law = prefixHashingLaw(LONGEST, epsilon);
  const tallies = talliesOf(law, fleet, () => Math.floor(random() * MODULUS));
  const { strings } = discover(law, tallies);
  const found = strings.filter(({ text }) => text !== '').map(({ text, estimate }): Answer => [text, MOST * estimate]);
  const { levels } = levelsIn(law, tallies);
  const scores = levels.map(({ devices }) => {
    const ranks = new Ranks(devices);
    return devices.map((value) => ranks.scoreOf(value));
  });
  const reports = levels.map((level) => level.reports);
  const likely = search(law, reports, scores, WIDTH).slice(0, CANDIDATES);
  return { found, likely: likely.map((bytes) => new TextDecoder().decode(bytes)).filter((text) => text !== '') };
}

const gauss = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Estimates of `choices`. A set with several candidates has all of them in its report, so only the number of its holders counts. */
function listed({ items, texts }: Sets, candidates: readonly string[], epsilon: number, random: Random): readonly Answer[] {
  const law = setLaw(candidates.length, Math.min(MOST, candidates.length), epsilon);
  const { p, q } = privSet.support(law);
  const devices = items.length / MOST;
  const holders = new Map(candidates.map((text) => [text, 0]));
  for (const item of items) {
    const before = holders.get(texts[item] ?? '');
    if (item >= 0 && before !== undefined) holders.set(texts[item] as string, before + 1);
  }
  return candidates.map((text): Answer => {
    const own = holders.get(text) as number;
    const variance = own * p * (1 - p) + (devices - own) * q * (1 - q);
    const support = own * p + (devices - own) * q + gauss(random) * Math.sqrt(variance);
    return [text, (support / devices - q) / (p - q)];
  });
}

const descending = (answers: readonly Answer[]): readonly Answer[] => [...answers].sort(([, a], [, b]) => b - a);

/** Both phases. */
function phases(first: Sets, second: Sets, epsilon: number, random: Random): readonly Answer[] {
  const { found, likely } = sampled(first, epsilon, random);
  const candidates = [...new Set([...found.map(([text]) => text), ...likely])];
  return descending(listed(second, candidates, epsilon, random));
}

/** The designs, by name: each from sets to the strings that it finds with their shares, the largest first. */
export const SET_DESIGNS: {
  readonly [name: string]: (sets: Sets, epsilon: number, random: Random, truth: readonly Answer[]) => readonly Answer[];
} = {
  'one phase: a sampled item by discover': (sets, epsilon, random) => sampled(sets, epsilon, random).found,
  'two phases: all devices, with ε/2 each (LDPMiner)': (sets, epsilon, random) => phases(sets, sets, epsilon / 2, random),
  'two phases: half of the devices each, with ε': (sets, epsilon, random) =>
    phases(partOf(sets, 0, 0.5), partOf(sets, 0.5, 1), epsilon, random),
  'two phases: four fifths of the devices, one fifth': (sets, epsilon, random) =>
    phases(partOf(sets, 0, 0.8), partOf(sets, 0.8, 1), epsilon, random),
  'the 50 are known: choices': (sets, epsilon, random, truth) =>
    descending(
      listed(
        sets,
        truth.slice(0, 50).map(([text]) => text),
        epsilon,
        random,
      ),
    ),
};
