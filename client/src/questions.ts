/** The questions of a schema, each carrying the randomizers that its law may name: what an app does not ask, it does not bundle. */

import * as shared from '@murmuration/shared';
import type { Coins } from './random/coins.ts';
import { respondBits } from './randomizers/bits.ts';
import { randomizeKAry, respondKAry } from './randomizers/k-ary.ts';
import { randomizeOneBit } from './randomizers/one-bit.ts';
import type { Randomizers, Respond } from './randomizers/randomizer.ts';
import { randomizeRappor } from './randomizers/rappor.ts';
import { randomizeSubset } from './randomizers/subset.ts';
import { randomizeUnary } from './randomizers/unary.ts';

/** From the symbol that a permanent metric keeps, as it is stored, to a report. */
type RespondStored = (law: shared.Law, symbol: string, coins: Coins) => Uint8Array;

/** What turns a question's values into reports. */
export interface Randomizing {
  readonly randomizers: Randomizers;
  /** From the symbol of an epoch to a report: where a mechanism brings its own instantaneous stage. */
  readonly respond?: Respond;
  /** Whether a report says an answer, by its index; undefined where reports are an index or a bit for each answer. */
  readonly says?: (law: shared.Law, bytes: readonly number[], answer: number) => boolean | undefined;
}

/** A mechanism for lists that brings its own randomizers. */
export type ListMechanism = shared.NamedList & Randomizing;

/** A mechanism for texts, with randomizers of its own where it is not RAPPOR. */
export type TextMechanism = shared.NamedText & Partial<Randomizing>;

/** What a list says of itself. V is the type of its answers. */
export type ListAsk<V = shared.Json> = shared.Ask<ListMechanism, V>;

/** A question that a device can answer. Where its `ask` names a mechanism for lists, that one's randomizers answer it. */
export interface DeviceQuestion<in V> extends shared.Question<V>, Randomizing {
  readonly ask: shared.Ask<shared.Named & Partial<Randomizing>>;
  /** Of a permanent one. */
  readonly respondStored?: RespondStored;
}

/** Questions by metric. */
export type DeviceQuestions = { readonly [metric: string]: DeviceQuestion<never> };

/** Of every list of answers. */
export const lists: Randomizers = { 'k-ary': randomizeKAry, subset: randomizeSubset };

/** Yes or no. `flag({ epsilon: 1, description: 'Is dark mode on?' })` */
export function flag(ask: ListAsk<boolean>): DeviceQuestion<boolean> {
  return { randomizers: { 'k-ary': randomizeKAry }, ...shared.flag(ask) };
}

/**
 * One of a list. `choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' })`; with `other: true`, unlisted answers count as
 * `other`. A list of more than 64 answers names `mechanism: longList()`, for reports of two or three bytes.
 */
export function choice<const T extends string>(
  answers: readonly T[],
  ask: ListAsk<string> & { readonly other: true },
): DeviceQuestion<T | (string & {})>;
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk<NoInfer<T>>): DeviceQuestion<T>;
export function choice(answers: readonly string[], ask: ListAsk<string>): DeviceQuestion<string> {
  return { randomizers: lists, ...shared.choice(answers, ask) };
}

/**
 * Several lists together, of which one may be a string: `text` itself stands for it, and the answer then goes through a law of
 * strings, decoded against candidates times answers.
 *
 * @example joint({ plan: ['free', 'pro'], dark: [true, false] }, { epsilon: 1, description: 'Who uses dark mode?' })
 * @example joint({ page: text, plan: ['free', 'pro'] }, { epsilon: 2, description: 'Who opens which page?' })
 */
export function joint<const Q extends { readonly [name: string]: readonly shared.Answer[] }>(
  questions: Q,
  ask: ListAsk<NoInfer<shared.JointValue<Q>>>,
): DeviceQuestion<shared.JointValue<Q>>;
export function joint<const Q extends shared.Parts>(
  questions: Q,
  ask: shared.Ask<TextMechanism, NoInfer<shared.JointValue<Q>>>,
): DeviceQuestion<shared.JointValue<Q>>;
export function joint(questions: shared.Parts, ask: shared.Ask<shared.Named, unknown>): unknown {
  const hasText = Object.values(questions).some((part) => typeof part === 'function');
  // The text's own constructor brings its randomizers.
  return hasText
    ? shared.jointText(questions, ask as shared.Ask<TextMechanism, never>)
    : { randomizers: lists, ...shared.joint(questions as never, ask as ListAsk<never>) };
}

/** A string. `text({ epsilon: 1, description: 'Home page' })` */
export function text(ask: shared.Ask<TextMechanism, string>): DeviceQuestion<string> {
  return { randomizers: { rappor: randomizeRappor }, ...shared.text(ask) };
}

/** The same question again and again, at ε∞ for all of an epoch. `permanent(flag({ ... }), { epsilon: 4, renew: 'year' })` */
export function permanent<Q extends DeviceQuestion<never>>(question: Q, permanence: shared.Permanence): Q {
  return {
    ...shared.permanent(question, permanence),
    respondStored: (law, symbol, coins) => {
      const respond = (question.respond ?? ('truth' in law ? respondKAry : respondBits)) as Respond<shared.Law>;
      return respond(law, shared.fromBase64url(symbol), coins);
    },
    randomizers: { ...question.randomizers, unary: randomizeUnary, 'one-bit': randomizeOneBit },
  };
}
