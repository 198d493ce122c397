/** The description of a question type, apart from its constructor: its rules, its answers, and which versions of it are comparable. */

import { canonicalJson, type Json } from '../encoding/canonical.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Rule, Rules } from '../schema/rules.ts';
import type { Answer, JointAnswer } from './answer.ts';
import type { Range } from './number.ts';

/** A type of question. F is the type of its own fields in a document. Its charge depends only on its ε and its slots (charges.ts). */
export interface QuestionKind<in F> {
  /** Rules for its own fields, and stricter rules for common fields if it has any. */
  readonly rules: () => Rules;
  /** A rule over all its fields, checked after the rules of the single fields. */
  readonly together?: Rule;
  /** Its answers in the order of their indices; undefined if they are not a list. */
  readonly answers: (fields: F) => readonly (Answer | JointAnswer)[] | undefined;
  /** The most answers that one person gives; 1 if omitted. */
  readonly atMost?: (fields: F) => number;
  /** The range of a number whose mean is estimated; undefined if shares are estimated. */
  readonly range?: (fields: F) => Range;
  /** The values that a device may record, described for developers. */
  readonly takes: (fields: F) => string;
  /** True if an index keeps its meaning from one version to the next. */
  readonly keeps: (before: F, after: F) => boolean;
  /** The quantity that its reports estimate. */
  readonly estimates: 'shares' | 'mean' | 'distribution';
  /** Its only mechanism, if no other type uses that mechanism. */
  readonly only?: Law['mechanism'];
}

/** True if two values have the same canonical JSON, where the order of keys does not matter. */
export const same = (a: unknown, b: unknown): boolean => canonicalJson((a ?? null) as Json) === canonicalJson((b ?? null) as Json);

/** A list of answers. The last one may stand for every unlisted answer. */
interface List {
  readonly answers: readonly string[];
  readonly other?: true;
}

/**
 * True if a list is unchanged or has only grown, either at its end or before an `other` that stays last. Moving `other` is harmless,
 * because a longer list has another law: its reports are not added up with those of the shorter list, and on a device it begins a new
 * epoch.
 */
export function hasGrown(before: List, after: List): boolean {
  const kept = before.other && after.other ? before.answers.slice(0, -1) : before.answers;
  return after.answers.length >= before.answers.length && same(kept, after.answers.slice(0, kept.length));
}
