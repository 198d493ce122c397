/** What every question has: what it says of itself, and what its constructor makes of it. Types alone, which every question imports. */

import type { Cadence } from '../calendar.ts';
import type { Json } from '../encoding/canonical.ts';
import type { KeptResponse } from '../mechanisms/k-ary.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Answer, JointAnswer } from './answer.ts';

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

/** A metric before its schema is known. V is the type of the values that it records. */
export interface Question<in V> {
  /** Its name in the table of questions (table.ts). */
  readonly type: string;
  readonly ask: Ask;
  /** What its document holds besides what every metric has. */
  readonly fields?: { readonly [key: string]: Json };
  /** How many answers it lists, or the greatest count; 0 for text and means. */
  readonly size: number;
  /** Whether its mean is estimated: where it is permanent, one bit of its first number is kept. */
  readonly isNumber?: true;
  /** Whether its reports say in which part of a range a number lies. */
  readonly isScale?: true;
  readonly law: Derive;
  /** The mechanism's input: an answer's index, those of a set, or the string; undefined for a value of the wrong type. */
  readonly input: (value: V) => number | readonly number[] | string | undefined;
  /** What its reports can say as people read it, by index; of a number what the outputs of its law say, none without one; none for text. */
  readonly labels: (law?: Law) => readonly string[];
  /** The answers that a person chooses from, by index, where they are a list other than the labels. */
  readonly answers?: () => readonly (Answer | JointAnswer)[];
}

/** The type of the values that a question records. */
export type ValueOf<Q> = Q extends Question<infer V> ? V : never;
