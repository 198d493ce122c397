/**
 * @module Answers of imagined users, as the collector would show them: randomized as devices do it, and estimated as for readers. The client's
 * plugin shows them while a question is written. `murmuration simulate` measures the errors of many such rounds.
 */

import {
  answersOf,
  type DocumentOf,
  labelOf,
  type MetricDocument,
  type Range,
  rangeOf,
  type SchemaDocument,
  toBase64url,
} from '@murmuration/shared';
import { estimate } from '../../answers/estimates.ts';
import { shippedQuestions } from '../audit/shipped.ts';
import { deviceOf, drawsOf, folderOf } from './simulation.ts';

/** An estimate with its 95 % interval, and the truth about all users. */
export interface ImaginedRow {
  readonly label: string;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  readonly truth: number;
}

/** The estimates that a reader would see. */
export interface Imagined {
  /** The answers that users give, and how many of them give each, compared with the others. */
  readonly given: readonly { readonly label: string; readonly weight: number }[];
  /** The ends of the scale: 0 and 1 for shares. */
  readonly range: Range;
  /** True for numbers, whose rows are in their unit. */
  readonly isNumber: boolean;
  readonly rows: readonly ImaginedRow[];
}

/** An answer that an app may record, and its label in estimates. */
interface Given {
  readonly label: string;
  readonly value: unknown;
}

/** The most answers that are imagined and shown. Nobody gives the others. */
const MOST = 12;
const NUMBERS = 5;

/** Numbers that lie evenly in a range. */
const numbersIn = ([low, high]: Range, isWhole: boolean): readonly Given[] => {
  const all = Array.from({ length: NUMBERS }, (_, i) => low + ((high - low) * i) / (NUMBERS - 1));
  return [...new Set(isWhole ? all.map(Math.round) : all)].map((value) => ({ label: String(Number(value.toPrecision(6))), value }));
};

/** The range of a metric whose answers are numbers. */
const scaleOf = (metric: MetricDocument): Range | undefined =>
  rangeOf(metric) ?? (metric.type === 'distribution' ? (metric as DocumentOf<'distribution'>).range : undefined);

/** The answers that users may give; undefined for strings. */
function givenIn(metric: MetricDocument): readonly Given[] | undefined {
  const range = scaleOf(metric);
  if (range) return numbersIn(range, metric.type === 'count');
  const values: readonly unknown[] | undefined =
    metric.type === 'histogram' ? [(metric.edges[0] as number) - 1, ...metric.edges] : answersOf(metric);
  return answersOf(metric)
    ?.slice(0, MOST)
    .map((answer, i) => ({ label: labelOf(answer), value: metric.type === 'choices' ? [answer] : values?.[i] }));
}

/** Shares that sum to 1. Without any weight all are equal. */
function sharesOf(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 1 / weights.length));
}

/**
 * Asks a metric of imagined users once.
 *
 * @param weights how many users give each answer, compared with the others; by default the first answer is the most common
 * @param users how many are asked
 * @returns undefined if it asks for strings: they are decoded from the reports of many more users
 */
export function imagine(
  { app, version, metrics, ...document }: SchemaDocument,
  metric: string,
  weights: readonly (number | undefined)[],
  users: number,
  seed: number,
): Imagined | undefined {
  const asked = metrics[metric];
  const answers = asked && givenIn(asked);
  if (!answers) return undefined;
  const given = answers.map(({ label, value }, i) => ({ label, value, weight: weights[i] ?? Math.round(60 / (i + 1)) }));
  const shares = sharesOf(given.map(({ weight }) => weight));
  const { coins, draw } = drawsOf({ shares }, seed);
  const question = shippedQuestions({ ...document, app, version, metrics: { [metric]: asked } })[metric];
  if (!question) return undefined;
  const { randomize, respond } = deviceOf(question, asked.law, coins);
  const folder = folderOf(asked.law);
  for (let user = 0; user < users; user++) {
    const symbol = randomize(question.input(given[draw()]?.value as never));
    folder.addReport(asked.permanent ? respond(toBase64url(symbol)) : symbol);
  }
  const evidence = { tallies: folder.tallies(), reports: users, from: 0, to: 0, ones: [] };
  const found = estimate({ metric: { app, metric, version, document: asked }, evidence, minimum: 0, candidates: [] });
  const range = scaleOf(asked);
  const truths = range ? [shares.reduce((sum, share, i) => sum + share * (given[i]?.value as number), 0)] : shares;
  const rows = found.distribution ? [{ ...found.distribution.mean, label: 'mean' }] : found.answers;
  return {
    given: given.map(({ label, weight }) => ({ label, weight })),
    range: range ?? [0, 1],
    isNumber: range !== undefined,
    rows: truths.map((truth, i) => {
      const { label = '', estimate = 0, low = 0, high = 0 } = rows[i] ?? {};
      return { label, estimate, low, high, truth };
    }),
  };
}
