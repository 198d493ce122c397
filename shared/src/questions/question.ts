/** The types that every question imports: its settings, and what its constructor returns. */

import type { Cadence } from '../calendar.ts';
import type { Json } from '../encoding/canonical.ts';
import type { KeptResponse } from '../mechanisms/k-ary.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Answer, JointAnswer } from './answer.ts';

/**
 * Derives the law at ε of one report and, for a permanent metric, ε∞.
 *
 * @param size the number of answers, or the greatest count; 0 for text and means
 * @param devices the expected number of answering devices
 * @param permanent ε∞ of an epoch
 * @param response the k-ary response with two stages, passed in by `permanent` so that other bundles do not contain it
 * @throws {RangeError} when there is none
 */
type Derive = (size: number, epsilon: number, devices: number, permanent?: number, response?: KeptResponse) => Law;

/** A mechanism that a metric names instead of leaving the choice to the chooser. */
export interface Named {
  /** The kind of question that the mechanism is for. */
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

/** The settings of every metric. V is the type of the values that it records. */
export interface Ask<M extends Named = Named, V = Json> {
  /** ε of one report, in natural-log units. */
  readonly epsilon: number;
  /** The question as it appears in the privacy statement. */
  readonly description: string;
  /** How often the question is answered; by default once per budget period. */
  readonly every?: Cadence;
  /**
   * The answer reported for a slot in which nothing was recorded. A metric that is recorded when an event happens needs one; otherwise the
   * mere presence of a report reveals the event.
   */
  readonly otherwise?: V;
  /** The unit of a number, such as `ms`, shown next to its values. */
  readonly unit?: string;
  /** The person or team responsible for the metric. */
  readonly owner?: string;
  /** The last day on which the metric is needed, such as `2027-01-31`. */
  readonly expires?: string;
  /** True if anybody may see the estimates, on a page that needs no token (docs/public.md). */
  readonly publish?: boolean;
  /** The mechanism to use instead of the chooser's. */
  readonly mechanism?: M;
}

/** The settings of a flag, a choice or a joint question. */
export type ListAsk = Ask<NamedList>;

/** How long one randomized answer is stored. All reports of an epoch together spend ε∞, whatever is recorded in it. */
export interface Permanence {
  /** ε∞, at least the ε of one report. */
  readonly epsilon: number;
  readonly renew: 'week' | 'month' | 'year' | 'never';
}

/**
 * The values and answers of a question, without its law. It is made of the question's fields in a document, so it is all that is left of a
 * question once its law is known. V is the type of the values that it records.
 */
export interface Answering<in V> {
  /** The number of listed answers, or the greatest count; 0 for text and means. */
  readonly size: number;
  /** True if its mean is estimated. If it is permanent, one bit of its first number is stored. */
  readonly isNumber?: true;
  /** True if its reports tell in which part of a range a number lies. */
  readonly isScale?: true;
  /** The mechanism's input: an answer's index, the indices of a set, or the string; undefined for a value of the wrong type. */
  readonly input: (value: V) => number | readonly number[] | string | undefined;
  /** The labels of its reports, by index. For a number they are the outputs of its law, and none without a law. There are none for text. */
  readonly labels: (law?: Law) => readonly string[];
  /** The answers that a person chooses from, by index, if they are a list different from the labels. */
  readonly answers?: () => readonly (Answer | JointAnswer)[];
}

/** A metric before its schema is known. */
export interface Question<in V> extends Answering<V> {
  /** Its name in the table of questions (table.ts). */
  readonly type: string;
  readonly ask: Ask;
  /** The fields of its document, apart from those that every metric has. */
  readonly fields?: { readonly [key: string]: Json };
  readonly law: Derive;
  /** For a permanent question: whether the reports of an epoch have a public part in common, by which they can be traced. */
  readonly traces?: (law: Law) => boolean;
}

/** The type of the values that a question records. */
export type ValueOf<Q> = Q extends Answering<infer V> ? V : never;
