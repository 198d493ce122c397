/**
 * The types of a question on a device: the shared question, and the functions that turn its values into reports. Every question imports
 * these types.
 */

import type * as shared from '@murmuration/shared';
import type { Epochs } from '../ledger/ledger.ts';
import type { Coins } from '../random/coins.ts';
import type { Randomizers, Respond } from '../randomizers/randomizer.ts';

/** Turns the stored symbol of a permanent metric into a report. */
type RespondStored = (law: shared.Law, symbol: string, coins: Coins) => Uint8Array;

/** The functions that turn a question's values into reports. */
export interface Randomizing {
  readonly randomizers: Randomizers;
  /** Turns an epoch's symbol into a report, if a mechanism has its own instantaneous stage. */
  readonly respond?: Respond;
  /** True if a report names the answer with this index; undefined if reports are an index or a bit for each answer. */
  readonly says?: (law: shared.Law, bytes: readonly number[], answer: number) => boolean | undefined;
}

/** A mechanism for lists with its own randomizers. */
export type ListMechanism = shared.NamedList & Randomizing;

/** A mechanism for texts, with its own randomizers unless it is RAPPOR. */
export type TextMechanism = shared.NamedText & Partial<Randomizing>;

/** The settings of a list question. V is the type of its answers. */
export type ListAsk<V = shared.Json> = shared.Ask<ListMechanism, V>;

/** All that a device needs of a question whose law is known. */
export interface ResolvedQuestion<in V> extends shared.Answering<V>, Randomizing {
  /** Only for permanent questions. */
  readonly respondStored?: RespondStored;
  /** Only for permanent questions. */
  readonly epochs?: Epochs;
}

/** A question that a device can answer. If its `ask` names a mechanism for lists, that mechanism's randomizers are used. */
export interface DeviceQuestion<in V> extends shared.Question<V>, ResolvedQuestion<V> {
  readonly ask: shared.Ask<shared.Named & Partial<Randomizing>>;
}

/** Questions of known laws, by metric. */
export type ResolvedQuestions = { readonly [metric: string]: ResolvedQuestion<never> };

/** Questions by metric. */
export type DeviceQuestions = { readonly [metric: string]: DeviceQuestion<never> };

/** A schema, ready to use: its document, which is plain JSON, and the functions that turn values into reports. */
export type Schema<M extends shared.Questions = shared.Questions, S extends shared.Segments = shared.Segments> = shared.Schema<
  M,
  S,
  object
>;
