/**
 * The values of a metric that a test of ε compares, all with each other: every answer of a list of up to 16, and of longer ones the ends and
 * two from the middle; the ends and two from the middle of a range; sets of each size; strings of several lengths. The first two are far
 * apart, so reports should tell them apart as well as any.
 */

import { answersOf, type DocumentOf, isListPart, jointAnswers, type MetricDocument, type QuestionType } from '@murmuration/shared';

/** The values that are tried, and of how many that an app could record; null if there is no end of them. */
export interface Tried {
  readonly values: readonly unknown[];
  readonly of: number | null;
}

/** The most values that are tried: 120 pairs. */
const MOST = 16;

/** All, or the ends and two from the middle. The ends come first. */
function some<T>(all: readonly T[]): readonly T[] {
  const [last, third] = [all.length - 1, Math.floor(all.length / 3)];
  const [first, end] = [all[0] as T, all[last] as T];
  if (all.length < 2) return [first];
  return [first, end, ...(all.length > MOST ? [all[third] as T, all[last - third] as T] : all.slice(1, -1))];
}

const listed = (all: readonly unknown[]): Tried => ({ values: some(all), of: all.length });

const range = ([low, high]: readonly [number, number]): Tried => ({
  values: [low, high, low + (high - low) / 3, high - (high - low) / 3],
  of: null,
});

/** Strings of lengths from none to many; the first bytes of the first two differ. */
const TEXTS = ['a', 'z', '', 'ab', 'a'.repeat(8), 'z'.repeat(100)] as const;

/** How far two rows of utilities differ. Adding a number to a row changes nothing. */
function distanceOf(a: readonly number[], b: readonly number[]): number {
  const differences = a.map((utility, i) => utility - (b[i] as number));
  return Math.max(...differences) - Math.min(...differences);
}

/** The two inputs whose utilities differ most come first. */
function byUtility({ inputs, utility }: DocumentOf<'best'>): Tried {
  const pairs = utility.flatMap((a, i) =>
    utility.slice(0, i).map((b, j) => ({ pair: [inputs[j] as string, inputs[i] as string], by: distanceOf(a, b) })),
  );
  const { pair } = pairs.reduce((most, each) => (each.by > most.by ? each : most));
  return { values: [...new Set([...pair, ...some(inputs)])], of: inputs.length };
}

/** Two sets of each size, from either end of the list. Those without a common answer, as large as can be, come first. */
function sets({ answers, atMost }: DocumentOf<'choices'>): Tried {
  const apart = Math.min(atMost, Math.floor(answers.length / 2));
  const sizes = [...new Set([apart, ...some(Array.from({ length: atMost }, (_, i) => i + 1)).slice(0, MOST / 2 - 1)])];
  const all = [...sizes.flatMap((size) => [answers.slice(0, size), answers.slice(-size)]), []];
  return { values: [...new Map(all.map((set) => [JSON.stringify(set), set])).values()], of: null };
}

/** Answers that differ in every part; of a text, strings of several lengths. */
function parts(metric: DocumentOf<'joint'>): Tried {
  const { questions } = metric;
  if (questions.every(isListPart)) return listed(jointAnswers(questions));
  const values = TEXTS.map((text, i) =>
    Object.fromEntries(
      questions.map((part) => [part.name, isListPart(part) ? part.answers[i % 2 === 0 ? 0 : part.answers.length - 1] : text]),
    ),
  );
  return { values, of: null };
}

const tried: { readonly [T in QuestionType]: (metric: DocumentOf<T>) => Tried } = {
  flag: () => listed([false, true]),
  choice: (metric) => listed(answersOf(metric) ?? []),
  choices: sets,
  best: byUtility,
  joint: parts,
  histogram: ({ edges }) => listed([(edges[0] as number) - 1, ...edges]),
  text: () => ({ values: TEXTS, of: null }),
  discover: () => ({ values: TEXTS, of: null }),
  mean: (metric) => range(metric.range),
  count: ({ max }) => listed(Array.from({ length: max + 1 }, (_, i) => i)),
  distribution: (metric) => range(metric.range),
};

/** The values of a metric that are tried. */
export const triedOf = (metric: MetricDocument): Tried => (tried[metric.type] as (metric: MetricDocument) => Tried)(metric);
