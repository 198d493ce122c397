/**
 * The members of each law. A law in a document has no others: devices tell some laws apart by their members, so one too many could make them
 * report by another law than the one that an audit computes.
 */

import type { Law } from './table.ts';

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

/** By mechanism, without its name. If a law has a member that is missing here, this does not compile. */
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
