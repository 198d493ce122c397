/** What is known of a type of question beside its constructor: its rules, its answers, and whether another version may still be compared. */

import { canonicalJson, type Json } from '../encoding/canonical.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Rule, Rules } from '../schema/rules.ts';
import type { Answer, JointAnswer } from './answer.ts';
import type { Range } from './number.ts';
import type { Ask, Question } from './question.ts';

/** What a document says of a question besides its own fields. */
export type DocumentAsk = Pick<Ask, 'epsilon' | 'description' | 'every'>;

/** What a constructor is called with, from a document: what scripts need of a type, and no more. */
export type CallOf<F> = (fields: F, ask: DocumentAsk) => readonly unknown[];

/** A type of question, F being its own fields in a document. What it charges depends on its ε and its slots alone (charges.ts). */
export interface QuestionKind<in F> {
  /** Its constructor. */
  readonly make: (...call: never[]) => Question<never>;
  /** Rules for its own fields, and for those of every metric where it has stricter ones. */
  readonly rules: () => Rules;
  /** A rule over its fields together, once each keeps its own. */
  readonly together?: Rule;
  /** Its answers in the order of their indices; undefined where they are no list. */
  readonly answers: (fields: F) => readonly (Answer | JointAnswer)[] | undefined;
  /** How many answers one person gives at most; 1 where left out. */
  readonly atMost?: (fields: F) => number;
  /** The range of a number whose mean is estimated; undefined where shares are. */
  readonly range?: (fields: F) => Range;
  /** What a device may record, in words for developers. */
  readonly takes: (fields: F) => string;
  /** Whether an index goes on meaning what it meant, from one version to the next. */
  readonly keeps: (before: F, after: F) => boolean;
  /** What its reports are estimated for. */
  readonly estimates: 'shares' | 'mean' | 'distribution';
  /** Its only mechanism, where that is no other type's. */
  readonly only?: Law['mechanism'];
}

/** Whether two values are the same in canonical JSON, in which the order of keys never matters. */
export const same = (a: unknown, b: unknown): boolean => canonicalJson((a ?? null) as Json) === canonicalJson((b ?? null) as Json);

/** A list of answers, of which the last may stand for every unlisted one. */
interface List {
  readonly answers: readonly string[];
  readonly other?: true;
}

/**
 * Whether a list has grown, or not changed: at its end, or before an `other` that stays the last. Answers that move with `other`
 * do no harm, for a longer list has another law: its reports are not added up with those of the shorter one, and on a device it
 * begins a new epoch.
 */
export function hasGrown(before: List, after: List): boolean {
  const kept = before.other && after.other ? before.answers.slice(0, -1) : before.answers;
  return after.answers.length >= before.answers.length && same(kept, after.answers.slice(0, kept.length));
}
