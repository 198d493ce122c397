/** The functions that turn a value into a report. A question carries those that its law may need, so a bundle contains no others. */

import type { Law } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** Turns a value into a report under a law; for a permanent metric, into the symbol that is stored for an epoch. */
export type Randomize<in L = never, in I = never> = (law: L, input: I, coins: Coins) => Uint8Array;

/** Turns a stored symbol into a report: the instantaneous stage of a permanent metric. */
export type Respond<in L = never> = (law: L, symbol: Uint8Array, coins: Coins) => Uint8Array;

/** Randomizers by the mechanism's name. */
export type Randomizers = { readonly [M in Law['mechanism']]?: Randomize };
