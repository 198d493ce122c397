/** Every mechanism by name, for code that reads laws from JSON. Devices do not use the table: a question carries its own randomizers. */

import * as all from './all.ts';
import type { Channel, DistributionChannel, Estimand, InputsChannel, Mechanism, PrefixChannel } from './law.ts';

/** The mechanisms among the exports of all.ts, without laws, thresholds and helpers. */
type Each = Extract<(typeof all)[keyof typeof all], { readonly tells: Estimand }>;

/** The laws of the mechanisms with a given `tells`. */
type LawsOf<T extends Estimand> =
  Extract<Each, { readonly tells: T }> extends infer C ? (C extends Channel<infer L, T> ? L : never) : never;

/** The law of a metric whose answers' shares are estimated, as plain JSON. */
export type ShareLaw = LawsOf<'shares'>;

/** The law of a metric over a list. It contains the number of answers. */
export type ListLaw = Extract<ShareLaw, { readonly size: number }>;

/** The law of a metric over strings, for which no list of possible values exists. */
export type StringLaw = Exclude<ShareLaw, ListLaw>;

/** The law of a metric whose mean is estimated. */
export type NumberLaw = LawsOf<'mean'>;

/** The law of a metric whose numbers' distribution is estimated. */
export type DistributionLaw = LawsOf<'distribution'>;

/** The law of a metric over strings that are found by their prefixes. */
export type PrefixLaw = LawsOf<'prefixes'>;

/** The law of a metric. */
export type Law = LawsOf<Estimand>;

/** The mechanisms by name. If all.ts exports a mechanism that the table lacks, this does not compile. */
type Mechanisms = { readonly [C in Each as C['name']]: C };

/** Error messages list the mechanisms in this order. */
export const mechanisms: Mechanisms = {
  'k-ary': all.kAry,
  subset: all.subset,
  unary: all.unary,
  'local-hashing': all.localHashing,
  rappor: all.rappor,
  privset: all.privSet,
  'string-hashing': all.stringHashing,
  'prefix-hashing': all.prefixHashing,
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
export function mechanismOf(law: PrefixLaw): PrefixChannel<PrefixLaw>;
export function mechanismOf(law: Law): Channel<Law>;
export function mechanismOf(law: Law): unknown {
  return mechanisms[law.mechanism];
}

/** True if a law is for numbers whose mean is estimated. */
export const isNumberLaw = (law: Law): law is NumberLaw => mechanismOf(law).tells === 'mean';

/** True if a law is for numbers whose distribution is estimated. */
export const isDistributionLaw = (law: Law): law is DistributionLaw => mechanismOf(law).tells === 'distribution';

/** True if a law is for strings that are found by their prefixes. */
export const isPrefixLaw = (law: Law): law is PrefixLaw => mechanismOf(law).tells === 'prefixes';

/** The number of cells into which the law of a distribution divides the range. */
export const cellsOf = (law: DistributionLaw): number => mechanismOf(law).cells(law);

/** The number of inputs of a law: answers, cells or rows of a matrix; undefined for strings and for numbers whose mean is estimated. */
export function inputsOf(law: Law): number | undefined {
  const mechanism = mechanismOf(law);
  if ('cells' in mechanism) return (mechanism as DistributionChannel<Law>).cells(law);
  if ('inputs' in mechanism) return (mechanism as InputsChannel<Law>).inputs(law);
  return 'size' in law ? law.size : undefined;
}

/** True if a law is for strings, for which no list of possible values exists. */
export const isStringLaw = (law: Law): law is StringLaw => mechanismOf(law).tells === 'shares' && !('size' in law);
