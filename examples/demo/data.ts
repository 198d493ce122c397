/** The demo's devices: true answers, drawn by seed from real data and from the story; and the strings that the collector asks about. */

import type { DeviceQuestions, ValueOf } from '@murmuration/client';
import { seededRng, words as wordsOf } from '@murmuration/client/testing';
import { sampler } from '@murmuration/collector';
import { answersOf, labelOf, type MetricDocument, rangeOf } from '@murmuration/shared';
import { browsers, films, type Population, platformOf, runtimes, scores, studios, words } from './populations.ts';
import { schema } from './schema.ts';
import {
  type Arm,
  DARK,
  FOUND,
  HOMES,
  PARTS,
  PLANS,
  type Platform,
  SEEN,
  STARTS,
  TIMES,
  TRAILER,
  type Version,
  WRONG_UNIT,
} from './story.ts';

type Metrics = typeof schema.questions;

/** A metric's name. */
export type Name = keyof Metrics & string;

/** The answers that the app records on a device, by metric. */
export type Answers = { readonly [M in keyof Metrics]: ValueOf<Metrics[M]> };

/** A device, before it reports. */
export interface Device {
  readonly browser: string;
  readonly platform: Platform;
}

/** Candidates: not all that devices say, as in real life. The ten rarest words are not asked for. */
export const candidates: { readonly word: readonly string[] } = { word: words.values.slice(0, 50) };

/** Strings of which estimates are asked for, where the collector is given no list. */
export const asked: { readonly [metric: string]: readonly string[] } = { studio: studios.values.slice(0, 20) };

/** A population by name. */
const named = <K extends string>(shares: { readonly [value in K]: number }): Population<K> => ({
  values: Object.keys(shares) as K[],
  shares: Object.values(shares),
});

/** A seeded source of devices and answers. */
export interface People {
  readonly device: () => Device;
  readonly answers: (device: Device, version: Version, arm: Arm) => Answers;
}

/** Draws devices, the same ones for the same seed. */
export function people(seed: number): People {
  const word = wordsOf(seededRng(seed));
  const uniform = (): number => word() / 2 ** 32;
  const drawer = <V>({ values, shares }: Population<V>): (() => V) => {
    const draw = sampler(shares, uniform);
    return () => values[draw()] as V;
  };
  const starts = { '1.9': drawer(named(STARTS['1.9'])), '2.0': drawer(named(STARTS['2.0'])) };
  const draw = {
    browser: drawer(browsers),
    plan: drawer(named(PLANS)),
    parts: drawer({ values: PARTS.map(({ parts }) => parts), shares: PARTS.map(({ share }) => share) }),
    home: drawer(named(HOMES)),
    film: drawer(films as Population<Answers['film']>),
    runtime: drawer(runtimes),
    score: drawer(scores),
    word: drawer(words),
    studio: drawer(studios),
    seen: drawer({ values: [...SEEN.keys()], shares: SEEN }),
    when: drawer(named(TIMES)),
  };
  return {
    device: () => {
      const browser = draw.browser();
      return { browser, platform: platformOf(browser) };
    },
    answers: ({ browser, platform }, version, arm) => ({
      darkMode: uniform() < DARK[version][platform],
      plan: draw.plan(),
      browser,
      parts: draw.parts(),
      home: draw.home(),
      film: draw.film(),
      runtime: draw.runtime() * (version === WRONG_UNIT.version ? WRONG_UNIT.factor : 1),
      score: draw.score(),
      word: draw.word(),
      studio: draw.studio(),
      seen: draw.seen(),
      start: Number(starts[version]()),
      when: draw.when(),
      found: uniform() < FOUND[arm],
      trailer: uniform() < TRAILER,
    }),
  };
}

/** What was recorded of a metric: its reports, and those of each answer. A number has the sum of its values under `mean`. */
export interface Truth {
  reports: number;
  readonly sums: { [label: string]: number };
}

/** The truth that estimates are compared with, by metric. */
export type Truths = { [metric: string]: Truth };

const metrics = schema.document.metrics as { readonly [metric: string]: MetricDocument };
const labels = new Map(Object.entries(metrics).map(([name, metric]) => [name, answersOf(metric)?.map(labelOf)]));

/** Counts an answer to a metric as the collector's API labels it: `other` where the schema does not list it. */
export function countTruth(truths: Truths, metric: string, answer: unknown): void {
  truths[metric] ??= { reports: 0, sums: {} };
  const truth = truths[metric];
  const add = (label: string, value = 1): void => {
    truth.sums[label] = (truth.sums[label] ?? 0) + value;
  };
  truth.reports++;
  const input = (schema.questions as DeviceQuestions)[metric]?.input(answer as never);
  const range = rangeOf(metrics[metric] as MetricDocument);
  if (range && typeof input === 'number') return add('mean', range[0] + input * (range[1] - range[0]));
  if (typeof input === 'string') return add(input);
  for (const index of [input].flat()) {
    const label = labels.get(metric)?.[index as number];
    if (label === undefined) throw new TypeError(`${metric}: expected an answer of the schema, got ${JSON.stringify(answer)}`);
    add(label);
  }
}

/** Two truths of different reports, together. */
export function addTruths(one: Truths, other: Truths): Truths {
  const sum: Truths = {};
  for (const [metric, { reports, sums }] of [...Object.entries(one), ...Object.entries(other)]) {
    const all = sum[metric] ?? { reports: 0, sums: {} };
    for (const [label, value] of Object.entries(sums)) all.sums[label] = (all.sums[label] ?? 0) + value;
    sum[metric] = { reports: all.reports + reports, sums: all.sums };
  }
  return sum;
}

/** Sums as shares of the reports, and a number's as its mean. */
export const sharesOf = ({ reports, sums }: Truth): { readonly [label: string]: number } =>
  Object.fromEntries(Object.entries(sums).map(([label, value]) => [label, value / reports]));
