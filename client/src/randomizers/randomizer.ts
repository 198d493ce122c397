/** What turns a value into a report. A question carries those that its law may name, so a bundle holds no others. */

import type { Law } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** Value to report by a law; for a permanent metric, value to the symbol that is stored for an epoch. */
export type Randomize<in L = never, in I = never> = (law: L, input: I, coins: Coins) => Uint8Array;

/** Symbol to report: the instantaneous stage of a permanent metric. */
export type Respond<in L = never> = (law: L, symbol: Uint8Array, coins: Coins) => Uint8Array;

/** By the mechanism's name. */
export type Randomizers = { readonly [M in Law['mechanism']]?: Randomize };
