/** The questions of a schema, each carrying the randomizers that its law may name: what an app does not ask, it does not bundle. */

import * as shared from '@murmuration/shared';
import type { Coins } from './random/coins.ts';
import { randomizeKAry, respondKAry } from './randomizers/k-ary.ts';
import type { Randomizers, Respond } from './randomizers/randomizer.ts';
import { randomizeRappor, respondRappor } from './randomizers/rappor.ts';
import { randomizeSubset } from './randomizers/subset.ts';

/** A question that a device can answer. */
export interface DeviceQuestion<in V> extends shared.Question<V> {
  readonly randomizers: Randomizers;
  /** From the symbol that a permanent metric keeps, as it is stored, to a report. */
  readonly respond?: (law: shared.Law, symbol: string, coins: Coins) => Uint8Array;
}

/** Questions by metric. */
export type DeviceQuestions = { readonly [metric: string]: DeviceQuestion<never> };

/** Of every list of answers. */
export const lists: Randomizers = { 'k-ary': randomizeKAry, subset: randomizeSubset };

/** Yes or no. `flag({ epsilon: 1, description: 'Is dark mode on?' })` */
export function flag(ask: shared.Ask): DeviceQuestion<boolean> {
  return { ...shared.flag(ask), randomizers: { 'k-ary': randomizeKAry } };
}

/** One of a list. `choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' })`; with `other: true`, unlisted answers count as `other`. */
export function choice<const T extends string>(
  answers: readonly T[],
  ask: shared.Ask & { readonly other: true },
): DeviceQuestion<T | (string & {})>;
export function choice<const T extends string>(answers: readonly T[], ask: shared.Ask): DeviceQuestion<T>;
export function choice(answers: readonly string[], ask: shared.Ask): DeviceQuestion<string> {
  return { ...shared.choice(answers, ask), randomizers: lists };
}

/** Several lists together. `joint({ plan: ['free', 'pro'], dark: [true, false] }, { epsilon: 1, description: 'Who uses dark mode?' })` */
export function joint<const Q extends { readonly [name: string]: readonly shared.Answer[] }>(
  questions: Q,
  ask: shared.Ask,
): DeviceQuestion<shared.JointValue<Q>> {
  return { ...shared.joint(questions, ask), randomizers: lists };
}

/** A string. `text({ epsilon: 1, description: 'Home page' })` */
export function text(ask: shared.TextAsk): DeviceQuestion<string> {
  return { ...shared.text(ask), randomizers: { rappor: randomizeRappor } };
}

/** The same question again and again, at ε∞ for all of an epoch. `permanent(flag({ ... }), { epsilon: 4, renew: 'year' })` */
export function permanent<Q extends DeviceQuestion<never>>(question: Q, permanence: shared.Permanence): Q {
  return {
    ...shared.permanent(question, permanence),
    respond: (law, symbol, coins) => {
      const respond = (law.mechanism === 'rappor' ? respondRappor : respondKAry) as Respond<shared.Law>;
      return respond(law, shared.fromBase64url(symbol), coins);
    },
  };
}
