/** Every mechanism by name, and the members of its law, for code that reads laws from JSON. Devices do not use the table: a question carries its own randomizers. */

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

/** Content of a member: a number, another law, a list, or members of its own. */
export type Form = 'number' | 'law' | readonly [Form] | { readonly [member: string]: Form };

type FormOf<T> = [T] extends [number]
  ? 'number'
  : [T] extends [readonly (infer E)[]]
    ? readonly [FormOf<E>]
    : [T] extends [{ readonly mechanism: string }]
      ? 'law'
      : { readonly [K in keyof T]-?: FormOf<Exclude<T[K], undefined>> };

const STAGE = { one: 'number', zero: 'number' } as const;
const BITS = { ...STAGE, irr: STAGE } as const;
const RESPONSE = { truth: 'number', irr: { truth: 'number' } } as const;
const WINDOW = { grid: 'number', window: 'number', inside: 'number' } as const;
const GEOMETRY = { size: 'number', order: 'number', dimension: 'number', inside: 'number' } as const;

/**
 * The members of each law, without its name. A law in a document has no others: devices tell some laws apart by their members, so one too
 * many could make them report by another law than the one that an audit computes. If one is missing here, this does not compile.
 */
export const members: { readonly [M in Law['mechanism']]: FormOf<Omit<Extract<Law, { readonly mechanism: M }>, 'mechanism'>> } = {
  'k-ary': { size: 'number', ...RESPONSE },
  subset: { size: 'number', subset: 'number', include: 'number' },
  unary: { size: 'number', ...BITS },
  'local-hashing': { size: 'number', buckets: 'number', ...RESPONSE },
  rappor: { bits: 'number', hashes: 'number', cohorts: 'number', ...BITS },
  privset: { size: 'number', atMost: 'number', subset: 'number', hit: 'number' },
  'string-hashing': { cohorts: 'number', buckets: 'number', ...RESPONSE },
  'prefix-hashing': { longest: 'number', bins: 'number', places: 'number', buckets: 'number', truth: 'number' },
  piecewise: WINDOW,
  geometric: { tails: ['number'] },
  exponential: { weights: [['number']] },
  'd-bit-flip': { size: 'number', bits: 'number', ...BITS },
  'one-bit': { size: 'number', ...RESPONSE },
  hybrid: { ...WINDOW, mix: 'number', truth: 'number' },
  laplace: { tails: ['number'] },
  scored: { ...WINDOW, scores: ['number'] },
  'square-wave': WINDOW,
  hierarchical: { size: 'number', branching: 'number', levels: ['law'] },
  hadamard: GEOMETRY,
  projective: GEOMETRY,
  'count-mean-sketch': { size: 'number', bits: 'number', ...BITS },
  'hadamard-count-mean-sketch': { size: 'number', buckets: 'number', truth: 'number' },
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
