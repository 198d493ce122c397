/** A question by itself, as somebody who has no schema yet puts it: the document that a schema with this one metric would have. */

import {
  choice,
  choices,
  count,
  DEFAULT_CELLS,
  defineSchema,
  distribution,
  flag,
  histogram,
  joint,
  longListLaw,
  type MetricDocument,
  mean,
  type NamedList,
  permanent,
  type Question,
  type Range,
  type SchemaDocument,
  text,
} from '@murmuration/shared';

/** One of these, and its ε. */
export interface Asking {
  readonly flag?: boolean;
  readonly choice?: number;
  readonly choices?: number;
  readonly atMost?: number;
  readonly joint?: readonly number[];
  readonly histogram?: readonly number[];
  readonly text?: boolean;
  readonly mean?: readonly number[];
  readonly count?: number;
  readonly distribution?: readonly number[];
  readonly epsilon: number;
  /** ε∞, where the answer is kept. */
  readonly permanent?: number;
}

const TYPES = ['flag', 'choice', 'choices', 'joint', 'histogram', 'text', 'mean', 'count', 'distribution'] as const;

/** Which questions are asked. */
export const askedTypes = (asking: Partial<Asking>): readonly (typeof TYPES)[number][] =>
  TYPES.filter((type) => asking[type] !== undefined);

/** As options of a command line. */
export const QUESTIONS: string = TYPES.map((type) => `--${type}`).join(', ');

const answersOf = (size: number): readonly string[] => Array.from({ length: size }, (_, i) => `answer ${i + 1}`);

function rangeOf(type: string, numbers: readonly number[]): Range {
  if (numbers.length !== 2) throw new RangeError(`--${type}: expected two numbers, the low and the high end, got ${numbers.length}`);
  return numbers as unknown as Range;
}

/** As an app asks a long list: `longList()` of the client names no other law for short ones. Permanent lists have no short reports. */
const listed: NamedList = { takes: 'list', law: (size, epsilon) => longListLaw(size, epsilon) };

function questionOf(asking: Asking): Question<never> {
  const ask = { epsilon: asking.epsilon, description: 'A question that is planned' };
  const list = asking.permanent === undefined ? { ...ask, mechanism: listed } : ask;
  const [type] = askedTypes(asking);
  switch (type) {
    case 'choice':
      return choice(answersOf(asking.choice as number), list);
    case 'choices':
      return choices(answersOf(asking.choices as number), { ...ask, atMost: asking.atMost ?? 1 });
    case 'joint':
      return joint(Object.fromEntries((asking.joint as readonly number[]).map((size, i) => [`list${i + 1}`, answersOf(size)])), list);
    case 'histogram':
      return histogram(asking.histogram as readonly number[], list);
    case 'text':
      return text(ask);
    case 'mean':
      return mean(rangeOf(type, asking.mean as readonly number[]), ask);
    case 'count':
      return count(asking.count as number, ask);
    case 'distribution':
      return distribution(rangeOf(type, asking.distribution as readonly number[]), ask);
    default:
      return flag(ask);
  }
}

/**
 * The metric, in a schema that expects so many devices, which set the cohorts of texts.
 *
 * @throws {RangeError} when there is no such question or law
 */
export function metricOf(asking: Asking, devices?: number): MetricDocument {
  const question = questionOf(asking);
  const asked = asking.permanent === undefined ? question : permanent(question, { epsilon: asking.permanent, renew: 'year' });
  const budget = { epsilon: 2 * Math.max(asking.epsilon, asking.permanent ?? 0), per: 'month' as const };
  const document: SchemaDocument = defineSchema({
    app: 'plan',
    version: 1,
    budget,
    ...(devices && { devices }),
    metrics: { question: asked },
  }).document;
  return document.metrics['question'] as MetricDocument;
}

/** The question as people say it. */
export function wordsOf(asking: Asking): string {
  const [type] = askedTypes(asking);
  const [low, high] = asking.mean ?? asking.distribution ?? [];
  const words = {
    flag: 'A yes-or-no question',
    choice: `A choice of one of ${asking.choice} answers`,
    choices: `A choice of up to ${asking.atMost} of ${asking.choices} answers`,
    joint: `${asking.joint?.length} lists at once, of ${asking.joint?.join(' × ')} answers`,
    histogram: `A number in one of ${(asking.histogram?.length ?? 0) + 1} buckets`,
    text: 'A text in the user’s own words',
    mean: `The average of a number from ${low} to ${high}`,
    count: `The average of a count from 0 to ${asking.count}`,
    distribution: `How a number from ${low} to ${high} is spread, in ${DEFAULT_CELLS} cells`,
  };
  return words[type ?? 'flag'];
}
