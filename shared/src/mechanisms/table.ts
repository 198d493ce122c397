/** Every mechanism by name, for those who read laws from JSON. Devices have no table: a question carries its randomizers. */

import { type CountMeanSketchLaw, countMeanSketch } from './count-mean-sketch.ts';
import { type DBitFlipLaw, dBitFlip } from './d-bit-flip.ts';
import { type ExponentialLaw, exponential } from './exponential.ts';
import { type GeometricLaw, geometric } from './geometric.ts';
import { type HadamardLaw, hadamard } from './hadamard.ts';
import { type HadamardCountMeanSketchLaw, hadamardCountMeanSketch } from './hadamard-count-mean-sketch.ts';
import { type HierarchicalLaw, hierarchical } from './hierarchical.ts';
import { type HybridLaw, hybrid } from './hybrid.ts';
import { type KAryLaw, kAry } from './k-ary.ts';
import { type LaplaceLaw, laplace } from './laplace.ts';
import type { Channel, Mechanism } from './law.ts';
import { type LocalHashingLaw, localHashing } from './local-hashing.ts';
import { type OneBitLaw, oneBit } from './one-bit.ts';
import { type PiecewiseLaw, piecewise } from './piecewise.ts';
import { type PrivSetLaw, privSet } from './privset.ts';
import { type ProjectiveLaw, projective } from './projective.ts';
import { type RapporLaw, rappor } from './rappor.ts';
import { type ScoredLaw, scored } from './scored.ts';
import { type SquareWaveLaw, squareWave } from './square-wave.ts';
import { type StringHashingLaw, stringHashing } from './string-hashing.ts';
import { type SubsetLaw, subset } from './subset.ts';
import { type UnaryLaw, unary } from './unary.ts';

/** The law of a metric whose answers' shares are estimated: plain JSON. */
export type ShareLaw =
  | KAryLaw
  | SubsetLaw
  | UnaryLaw
  | LocalHashingLaw
  | RapporLaw
  | StringHashingLaw
  | PrivSetLaw
  | DBitFlipLaw
  | HadamardLaw
  | ProjectiveLaw
  | CountMeanSketchLaw
  | HadamardCountMeanSketchLaw;

/** The law of a list: it says how many answers there are. */
export type ListLaw = Extract<ShareLaw, { readonly size: number }>;

/** The law of a metric about strings, of which nobody has a list. */
export type StringLaw = Exclude<ShareLaw, ListLaw>;

/** The law of a metric whose mean is estimated. */
export type NumberLaw = PiecewiseLaw | GeometricLaw | OneBitLaw | HybridLaw | LaplaceLaw | ScoredLaw;

/** The law of a metric whose numbers' distribution is estimated. */
export type DistributionLaw = SquareWaveLaw | HierarchicalLaw;

/** The law of a metric. */
export type Law = ShareLaw | NumberLaw | DistributionLaw | ExponentialLaw;

/** The mechanisms by name. */
export const mechanisms: {
  readonly [M in ShareLaw['mechanism']]: Mechanism<Extract<ShareLaw, { mechanism: M }>>;
} & { readonly [M in Exclude<Law, ShareLaw>['mechanism']]: Channel<Extract<Law, { mechanism: M }>> } = {
  'k-ary': kAry,
  subset,
  unary,
  'local-hashing': localHashing,
  rappor,
  privset: privSet,
  'string-hashing': stringHashing,
  piecewise,
  geometric,
  exponential,
  'd-bit-flip': dBitFlip,
  'one-bit': oneBit,
  hybrid,
  laplace,
  scored,
  'square-wave': squareWave,
  hierarchical,
  hadamard,
  projective,
  'count-mean-sketch': countMeanSketch,
  'hadamard-count-mean-sketch': hadamardCountMeanSketch,
};

/** The mechanism of a law. */
export function mechanismOf(law: ShareLaw): Mechanism<ShareLaw>;
export function mechanismOf(law: Law): Channel<Law>;
export function mechanismOf(law: Law): Mechanism<ShareLaw> & Channel<Law> {
  return mechanisms[law.mechanism] as Mechanism<ShareLaw> & Channel<Law>;
}

const numbers: { readonly [M in NumberLaw['mechanism']]: true } = {
  piecewise: true,
  geometric: true,
  'one-bit': true,
  hybrid: true,
  laplace: true,
  scored: true,
};

/** Whether a law is one of numbers, whose mean is estimated. */
export const isNumberLaw = (law: Law): law is NumberLaw => law.mechanism in numbers;

const distributions: { readonly [M in DistributionLaw['mechanism']]: true } = {
  'square-wave': true,
  hierarchical: true,
};

/** Whether a law is one whose numbers' distribution is estimated. */
export const isDistributionLaw = (law: Law): law is DistributionLaw => law.mechanism in distributions;

/** Into how many cells the law of a distribution parts the range. */
export const cellsOf = (law: DistributionLaw): number => (law.mechanism === 'hierarchical' ? law.size : law.grid + 1);
