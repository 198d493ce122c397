/** The demo's devices: true answers drawn from real data, by seed; and the strings that the collector asks about. */

import type { ValueOf } from '@murmuration/client';
import { seededRng, words as wordsOf } from '@murmuration/client/testing';
import { sampler } from '@murmuration/collector';
import { answersOf, labelOf, type MetricDocument } from '@murmuration/shared';
import { airports, browsers, cylinders, films, makes, type Population, platformOf, rain, words } from './populations.ts';
import { schema } from './schema.ts';

type Metrics = typeof schema.questions;

/** What is true of a device, by metric. */
export type Answers = { readonly [M in keyof Metrics]: ValueOf<Metrics[M]> };

/** A device, before it reports. */
export interface Person {
  readonly platform: 'desktop' | 'android' | 'ios';
  readonly answers: Answers;
}

/** Candidates: not all that devices say, as in real life. The 50 rarest words and 200 small airports are not asked for. */
export const candidates: { readonly word: readonly string[]; readonly airport: readonly string[] } = {
  word: words.values.slice(0, 200),
  airport: airports.values.slice(0, 100),
};

/** Strings of which estimates are asked for, where the collector is given no list. */
export const asked: { readonly [metric: string]: readonly string[] } = { make: makes.values.slice(0, 20) };

/** Draws devices, the same ones for the same seed. */
export function people(seed: number): () => Person {
  const word = wordsOf(seededRng(seed));
  const uniform = (): number => word() / 2 ** 32;
  const drawer = <V>({ values, shares }: Population<V>): (() => V) => {
    const draw = sampler(shares, uniform);
    return () => values[draw()] as V;
  };
  const draw = {
    browser: drawer(browsers),
    film: drawer(films as Population<Answers['film']>),
    rain: drawer(rain),
    cylinders: drawer(cylinders as Population<Answers['cylinders']>),
    word: drawer(words),
    airport: drawer(airports),
    make: drawer(makes),
  };
  return () => {
    const browser = draw.browser();
    const answers = {
      browser,
      film: draw.film(),
      rain: draw.rain(),
      cylinders: draw.cylinders(),
      word: draw.word(),
      airport: draw.airport(),
      make: draw.make(),
    };
    return { platform: platformOf(browser), answers };
  };
}

const labels = new Map(
  Object.entries(schema.document.metrics).map(([name, metric]) => [name, answersOf(metric as MetricDocument)?.map(labelOf)]),
);

/** An answer as the collector's API labels it: `other` where the schema does not list it. */
export function labelFor<M extends keyof Answers & string>(metric: M, value: Answers[M]): string {
  const input = schema.questions[metric].input(value as never);
  const label = typeof input === 'number' ? labels.get(metric)?.[input] : typeof input === 'string' ? input : undefined;
  if (label === undefined) throw new TypeError(`${metric}: expected an answer of the schema, got ${JSON.stringify(value)}`);
  return label;
}

/** Devices by metric and label: the truth that estimates are compared with. */
export type Truths = { readonly [metric: string]: { [label: string]: number } };

export const noTruths = (): Truths => Object.fromEntries(Object.keys(schema.questions).map((metric) => [metric, {}]));

/** Counts a device's answer to a metric. */
export function countTruth(truths: Truths, metric: string, { answers }: Person): void {
  const counts = truths[metric] as { [label: string]: number };
  const label = labelFor(metric as keyof Answers, answers[metric as keyof Answers]);
  counts[label] = (counts[label] ?? 0) + 1;
}

/** Counts as shares. */
export function sharesOf(counts: { readonly [label: string]: number }): { readonly [label: string]: number } {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return Object.fromEntries(Object.entries(counts).map(([label, count]) => [label, count / total]));
}
