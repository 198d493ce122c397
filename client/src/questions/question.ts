/** A question on a device: what shared knows of it, and what turns its values into reports. Types alone, which every question imports. */

import type * as shared from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import type { Randomizers, Respond } from '../randomizers/randomizer.ts';

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
