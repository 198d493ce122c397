/** Every mechanism by name, for those who read laws from JSON. Devices have no table: a question carries its randomizers. */

import { type KAryLaw, kAry } from './k-ary.ts';
import type { Mechanism } from './law.ts';
import { type RapporLaw, rappor } from './rappor.ts';
import { type SubsetLaw, subset } from './subset.ts';
import { type UnaryLaw, unary } from './unary.ts';

/** The law of a metric: plain JSON. */
export type Law = KAryLaw | SubsetLaw | UnaryLaw | RapporLaw;

/** The mechanisms by name. */
export const mechanisms: { readonly [M in Law['mechanism']]: Mechanism<Extract<Law, { mechanism: M }>> } = {
  'k-ary': kAry,
  subset,
  unary,
  rappor,
};

/** The mechanism of a law. */
export const mechanismOf = (law: Law): Mechanism<Law> => mechanisms[law.mechanism] as Mechanism<Law>;
