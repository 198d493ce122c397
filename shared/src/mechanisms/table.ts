/** Every mechanism by name, for those who read laws from JSON. Devices have no table: a question carries its randomizers. */

import * as all from './all.ts';
import type { Channel, DistributionChannel, Mechanism, Told } from './law.ts';

/** What all.ts exports that is a mechanism: laws, thresholds and helpers are not. */
type Each = Extract<(typeof all)[keyof typeof all], { readonly tells: Told }>;

/** The laws of mechanisms that tell this. */
type LawsOf<T extends Told> = Extract<Each, { readonly tells: T }> extends infer C ? (C extends Channel<infer L, T> ? L : never) : never;

/** The law of a metric whose answers' shares are estimated: plain JSON. */
export type ShareLaw = LawsOf<'shares'>;

/** The law of a list: it says how many answers there are. */
export type ListLaw = Extract<ShareLaw, { readonly size: number }>;

/** The law of a metric about strings, of which nobody has a list. */
export type StringLaw = Exclude<ShareLaw, ListLaw>;

/** The law of a metric whose mean is estimated. */
export type NumberLaw = LawsOf<'mean'>;

/** The law of a metric whose numbers' distribution is estimated. */
export type DistributionLaw = LawsOf<'distribution'>;

/** The law of a metric. */
export type Law = LawsOf<Told>;

/** The mechanisms by name: one that all.ts exports and the table lacks does not compile. */
type Mechanisms = { readonly [C in Each as C['name']]: C };

/** What a message says of them keeps this order. */
export const mechanisms: Mechanisms = {
  'k-ary': all.kAry,
  subset: all.subset,
  unary: all.unary,
  'local-hashing': all.localHashing,
  rappor: all.rappor,
  privset: all.privSet,
  'string-hashing': all.stringHashing,
  piecewise: all.piecewise,
  geometric: all.geometric,
  exponential: all.exponential,
  'd-bit-flip': all.dBitFlip,
  'one-bit': all.oneBit,
  hybrid: all.hybrid,
  laplace: all.laplace,
  scored: all.scored,
  'square-wave': all.squareWave,
  hierarchical: all.hierarchical,
  hadamard: all.hadamard,
  projective: all.projective,
  'count-mean-sketch': all.countMeanSketch,
  'hadamard-count-mean-sketch': all.hadamardCountMeanSketch,
};

/** The mechanism of a law. */
export function mechanismOf(law: ShareLaw): Mechanism<ShareLaw>;
export function mechanismOf(law: DistributionLaw): DistributionChannel<DistributionLaw>;
export function mechanismOf(law: Law): Channel<Law>;
export function mechanismOf(law: Law): unknown {
  return mechanisms[law.mechanism];
}

/** Whether a law is one of numbers, whose mean is estimated. */
export const isNumberLaw = (law: Law): law is NumberLaw => mechanismOf(law).tells === 'mean';

/** Whether a law is one whose numbers' distribution is estimated. */
export const isDistributionLaw = (law: Law): law is DistributionLaw => mechanismOf(law).tells === 'distribution';

/** Into how many cells the law of a distribution parts the range. */
export const cellsOf = (law: DistributionLaw): number => mechanismOf(law).cells(law);

/** Whether a law is one of strings, of which nobody has a list. */
export const isStringLaw = (law: Law): law is StringLaw => mechanismOf(law).tells === 'shares' && !('size' in law);
