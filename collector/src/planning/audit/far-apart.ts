/** Two values of a metric that its reports should tell apart as well as any. A test of ε compares the reports of both. */

import { type DocumentOf, isListPart, type MetricDocument, type QuestionType } from '@murmuration/shared';

/** Two values that an app could record. */
export type Pair = readonly [unknown, unknown];

const ends = <T>(list: readonly T[]): readonly [T, T] => [list[0] as T, list[list.length - 1] as T];

/** Strings whose first bytes differ. */
const TEXTS = ['a', 'z'] as const;

/** How far two rows of utilities differ. Adding a number to a row changes nothing. */
function distanceOf(a: readonly number[], b: readonly number[]): number {
  const differences = a.map((utility, i) => utility - (b[i] as number));
  return Math.max(...differences) - Math.min(...differences);
}

/** The two inputs whose utilities differ most. */
function furthest({ inputs, utility }: DocumentOf<'best'>): Pair {
  const pairs = utility.flatMap((a, i) =>
    utility.slice(0, i).map((b, j) => ({ pair: [inputs[j], inputs[i]] as const, by: distanceOf(a, b) })),
  );
  return pairs.reduce((most, each) => (each.by > most.by ? each : most)).pair;
}

/** Two sets without a common answer, as large as can be. */
function disjoint({ answers, atMost }: DocumentOf<'choices'>): Pair {
  const size = Math.min(atMost, Math.floor(answers.length / 2));
  return [answers.slice(0, size), answers.slice(-size)];
}

/** Two answers that differ in every part. */
const inEveryPart = ({ questions }: DocumentOf<'joint'>): Pair => {
  const parts = questions.map((part) => [part.name, isListPart(part) ? ends(part.answers) : TEXTS] as const);
  return [Object.fromEntries(parts.map(([name, [one]]) => [name, one])), Object.fromEntries(parts.map(([name, [, two]]) => [name, two]))];
};

const pairs: { readonly [T in QuestionType]: (metric: DocumentOf<T>) => Pair } = {
  flag: () => [false, true],
  choice: ({ answers }) => ends(answers),
  choices: disjoint,
  best: furthest,
  joint: inEveryPart,
  histogram: ({ edges }) => [(edges[0] as number) - 1, edges[edges.length - 1]],
  text: () => TEXTS,
  discover: () => TEXTS,
  mean: ({ range }) => range,
  count: ({ max }) => [0, max],
  distribution: ({ range }) => range,
};

/** Two values of a metric that are far apart. */
export const farApart = (metric: MetricDocument): Pair => (pairs[metric.type] as (metric: MetricDocument) => Pair)(metric);
