/** What a metric can ask: the constructors of a schema. They only describe; `defineSchema` checks and resolves. */

import type { Cadence } from '../calendar.ts';
import type { Json } from '../encoding/canonical.ts';
import { type KeptResponse, kAryLaw, permanentKAryLaw } from '../mechanisms/k-ary.ts';
import { listLaw, permanentListLaw } from '../mechanisms/list.ts';
import { oneBitLaw } from '../mechanisms/one-bit.ts';
import { expertRapporLaw, type RapporParameters, rapporFromParameters, rapporLaw } from '../mechanisms/rappor.ts';
import type { Law } from '../mechanisms/table.ts';
import { assertAsk } from './asks.ts';
import { jointAnswers, labelOf } from './document.ts';

/**
 * The law at ε of one report and, of a permanent metric, ε∞.
 *
 * @param size how many answers there are, or the greatest count; 0 for text and means
 * @param devices how many are expected to answer
 * @param permanent ε∞ of an epoch
 * @param response the k-ary response with two stages, which `permanent` brings: so other bundles hold none
 * @throws {RangeError} when there is none
 */
type Derive = (size: number, epsilon: number, devices: number, permanent?: number, response?: KeptResponse) => Law;

/** A mechanism that a metric names, where the chooser shall not decide. */
export interface Named {
  /** What it is a mechanism for. */
  readonly takes: 'list' | 'text' | 'count' | 'mean' | 'distribution';
  readonly law: Derive;
}

/** A mechanism for flags, choices and joint questions. */
export type NamedList = Named & { readonly takes: 'list' };

/** A mechanism for texts. */
export type NamedText = Named & { readonly takes: 'text' };

/** A mechanism for counts; its `size` is the greatest count. */
export type NamedCount = Named & { readonly takes: 'count' };

/** A mechanism for means. */
export type NamedMean = Named & { readonly takes: 'mean' };

/** A mechanism for distributions; its `size` is the number of cells. */
export type NamedDistribution = Named & { readonly takes: 'distribution' };

/** What every metric says of itself. V is the type of the values that it records. */
export interface Ask<M extends Named = Named, V = Json> {
  /** ε of one report, in natural-log units. */
  readonly epsilon: number;
  /** The question as the privacy statement will put it. */
  readonly description: string;
  /** How often it is answered; the budget's period when left out. */
  readonly every?: Cadence;
  /**
   * The answer that is reported of a slot in which nothing was recorded. A metric that is recorded on an event needs one, for
   * otherwise a report tells by being there that the event took place.
   */
  readonly otherwise?: V;
  /** Of a number, its unit as people write it, `ms`: shown beside what a report says. */
  readonly unit?: string;
  /** Who answers for it. */
  readonly owner?: string;
  /** The day after which nobody needs it, `2027-01-31`. */
  readonly expires?: string;
  /** The mechanism, where the chooser shall not decide. */
  readonly mechanism?: M;
}

/** What a flag, a choice or a joint question says of itself. */
export type ListAsk = Ask<NamedList>;

/** How long one randomized answer is kept: ε∞ for all the reports of an epoch, whatever is recorded in it. */
export interface Permanence {
  /** ε∞, at least the ε of one report. */
  readonly epsilon: number;
  readonly renew: 'week' | 'month' | 'year' | 'never';
}

/** An answer of a list. */
export type Answer = string | boolean;

/** A metric before its schema is known. V is the type of the values that it records. */
export interface Question<in V> {
  readonly type: 'flag' | 'choice' | 'choices' | 'best' | 'joint' | 'text' | 'histogram' | 'mean' | 'count' | 'distribution';
  readonly ask: Ask;
  /** What its document holds besides what every metric has. */
  readonly fields?: { readonly [key: string]: Json };
  /** How many answers it lists, or the greatest count; 0 for text and means. */
  readonly size: number;
  readonly law: Derive;
  /** The mechanism's input: an answer's index, those of a set, or the string; undefined for a value of the wrong type. */
  readonly input: (value: V) => number | readonly number[] | string | undefined;
  /** Its answers as people read them, by index; of a number what the outputs of its law say, none without one; none for text. */
  readonly labels: (law?: Law) => readonly string[];
}

/** The type of the values that a question records. */
export type ValueOf<Q> = Q extends Question<infer V> ? V : never;

/** Does each device say yes or no? */
export function flag(ask: ListAsk): Question<boolean> {
  assertAsk('flag', ask);
  return {
    type: 'flag',
    ask,
    size: 2,
    law: (size, epsilon) => kAryLaw(size, epsilon),
    input: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
    labels: () => ['false', 'true'],
    ...ask.mechanism,
  };
}

/** What `other: true` appends to a list: it stands for every answer that is not listed. */
export const OTHER = 'other';

/** Which one of a list? With `other: true`, unlisted strings are answered as `other`. */
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk & { readonly other: true }): Question<T | (string & {})>;
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk): Question<T>;
export function choice(answers: readonly string[], ask: ListAsk & { readonly other?: boolean }): Question<string> {
  assertAsk('choice', ask);
  const all = ask.other ? [...answers, OTHER] : answers;
  return {
    type: 'choice',
    ask,
    fields: { answers: all },
    size: all.length,
    law: listLaw,
    input: (value) => {
      const index = all.indexOf(value);
      return index >= 0 ? index : ask.other && typeof value === 'string' ? all.length - 1 : undefined;
    },
    labels: () => all,
    ...ask.mechanism,
  };
}

/** The value of a joint question: an answer to each of its lists, and a string for its text where it has one. */
export type JointValue<Q> = { readonly [K in keyof Q]: Q[K] extends readonly (infer A)[] ? A : string };

/** The index of an answer to lists in their product, the first the most significant; undefined where one is not listed. */
export function jointIndex(lists: readonly (readonly [name: string, answers: readonly Answer[]])[], value: unknown): number | undefined {
  let index = 0;
  for (const [name, answers] of lists) {
    const digit = answers.indexOf((value as { readonly [name: string]: Answer } | null)?.[name] as Answer);
    if (digit < 0) return undefined;
    index = index * answers.length + digit;
  }
  return index;
}

/**
 * Several lists at once, one answer from their product with the whole ε: the only way to see how they go together.
 * (Splitting ε between two questions costs 19 times the variance at ε = 2.)
 */
export function joint<const Q extends { readonly [name: string]: readonly Answer[] }>(questions: Q, ask: ListAsk): Question<JointValue<Q>> {
  assertAsk('joint', ask);
  const entries = Object.entries(questions);
  const size = entries.reduce((product, [, { length }]) => product * length, 1);
  const lists = entries.map(([name, answers]) => ({ name, answers }));
  return {
    type: 'joint',
    ask,
    fields: { questions: lists },
    size,
    law: listLaw,
    input: (value) => jointIndex(entries, value),
    labels: () => jointAnswers(lists).map(labelOf),
    ...ask.mechanism,
  };
}

/** RAPPOR with an expert's own parameters. It carries its checks, for only those who bring parameters need them. */
export const expertRappor = (parameters: RapporParameters): NamedText => ({
  takes: 'text',
  law: (_size, epsilon, _devices, permanent) => expertRapporLaw(rapporFromParameters(parameters), epsilon, permanent),
});

/** Which string? Estimated for the candidates that the collector is given. */
export function text(ask: Ask<NamedText>): Question<string> {
  assertAsk('text', ask);
  return {
    type: 'text',
    ask,
    size: 0,
    law: (_size, epsilon, devices, epoch) => rapporLaw(epsilon, devices, epoch),
    input: (value) => (typeof value === 'string' ? value : undefined),
    labels: () => [],
    ...ask.mechanism,
  };
}

/**
 * Asks the same question again and again: the first answer of an epoch is randomized once and kept, and only that is
 * reported on.
 */
export function permanent<Q extends Question<never>>(question: Q, permanence: Permanence): Q {
  const { type, ask, fields, law } = question;
  return {
    ...question,
    fields: { ...fields, permanent: permanence },
    law: (size: number, epsilon: number, devices: number): Law => {
      const all = permanence.epsilon;
      if (ask.mechanism) return law(size, epsilon, devices, all, (k, e) => permanentKAryLaw(k, e, all));
      // Of a number one bit is kept, and its law is here, so that numbers that are asked once bundle none of it.
      if (type === 'mean' || type === 'count') return oneBitLaw(epsilon, all);
      return size > 0 ? permanentListLaw(size, epsilon, all) : law(size, epsilon, devices, all);
    },
  };
}
