/**
 * The exact mean and covariance of a metric's estimates under the law, given what is true of the devices that reported:
 * no device's coins depend on another's, so both are sums over devices. One report a device.
 *
 * k-ary: a report is one cell, so with P(u | x) the channel, Cov(u, v | x) = [u = v] P(u | x) - P(u | x) P(v | x).
 * Subset: cell u is in the set with probability p or q; with m of d in the set, both u and v are in it with probability
 *   p (m-1)/(d-1) when x is one of them, else p (m-1)(m-2) / ((d-1)(d-2)) + (1-p) m(m-1) / ((d-1)(d-2)).
 * Unary: bits are independent, so both have the product of their probabilities.
 * Local hashing: hashed-covariance.ts. Strings: string-covariance.ts. Any other: from the sets of cells that support each answer, covariance-cells.ts.
 */

import {
  type CountMeanSketchLaw,
  familyOf,
  type HadamardCountMeanSketchLaw,
  type HadamardLaw,
  type KAryLaw,
  type LocalHashingLaw,
  mechanismOf,
  type ProjectiveLaw,
  type StringLaw,
  type SubsetLaw,
  type UnaryLaw,
} from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import { jointBits, jointSupports } from './covariance-cells.ts';
import { hashedPairs } from './hashed-covariance.ts';
import { stringMoments } from './string-covariance.ts';

/** True answers of the devices that reported: how many gave each. */
export interface Population {
  /** In the order of the estimates: of a list's answers, or of the candidates. */
  readonly counts: readonly number[];
  /** Strings that are no candidates, and how many devices gave each. */
  readonly others: ReadonlyMap<string, number>;
  readonly candidates: readonly string[];
}

/** What the estimates are on average, and how they vary together. */
export interface Moments {
  readonly mean: readonly number[];
  readonly covariance: Matrix;
  /** How many directions the estimates can vary in: one fewer than a list's answers where its estimates sum to 1. */
  readonly rank: number;
}

type DirectLaw = KAryLaw | SubsetLaw | UnaryLaw;
type CellLaw = HadamardLaw | ProjectiveLaw | HadamardCountMeanSketchLaw;
type ListLaw = DirectLaw | LocalHashingLaw | CellLaw | CountMeanSketchLaw;

/** The laws of metrics to which a device has one answer. */
export type MomentsLaw = ListLaw | StringLaw;

/** P(both cells are supported | true answer): when it is one of them, and when it is neither. */
export function pairs(law: DirectLaw): { readonly one: number; readonly neither: number } {
  if (law.mechanism === 'k-ary') return { one: 0, neither: 0 };
  const { p, q } = mechanismOf(law).support(law);
  if (law.mechanism === 'unary') return { one: p * q, neither: q * q };
  const { size: d, subset: m } = law;
  const among = (d - 1) * (d - 2);
  return { one: (p * (m - 1)) / (d - 1), neither: (p * (m - 1) * (m - 2) + (1 - p) * m * (m - 1)) / among };
}

/** Σ_x n_x P(u, v | x) of two different answers. */
function pairsIn(law: ListLaw, counts: readonly number[], n: number): (u: number, v: number) => number {
  if (law.mechanism === 'local-hashing') return hashedPairs(law, counts);
  if (law.mechanism !== 'k-ary' && law.mechanism !== 'subset' && law.mechanism !== 'unary') {
    const supports = law.mechanism === 'count-mean-sketch' ? jointBits(law, counts) : jointSupports(law, counts);
    return (u, v) => supports.get(u, v);
  }
  const { one, neither } = pairs(law);
  return (u, v) => {
    const either = (counts[u] as number) + (counts[v] as number);
    return either * one + (n - either) * neither;
  };
}

/** Whether the estimates always sum to 1: every report then supports equally many answers. */
function isSumFixed(law: ListLaw): boolean {
  if (law.mechanism === 'local-hashing') return familyOf(law.size, law.buckets).vectors === law.size;
  if (law.mechanism === 'projective') return mechanismOf(law).shape(law).cells === law.size;
  return law.mechanism === 'k-ary' || law.mechanism === 'subset';
}

function listMoments(law: ListLaw, counts: readonly number[]): Moments {
  const n = counts.reduce((sum, count) => sum + count, 0);
  const { p, q } = mechanismOf(law).support(law);
  const together = pairsIn(law, counts, n);
  const scale = 1 / (n * (p - q)) ** 2;
  const covariance = new Matrix(law.size, law.size);
  counts.forEach((x, u) => {
    counts.forEach((y, v) => {
      const own = x * p * (1 - p) + (n - x) * q * (1 - q);
      const apart = (x + y) * p * q + (n - x - y) * q * q;
      covariance.set(u, v, scale * (u === v ? own : together(u, v) - apart));
    });
  });
  return { mean: counts.map((count) => count / n), covariance, rank: isSumFixed(law) ? law.size - 1 : law.size };
}

/** The moments of a metric's estimates. */
export const momentsOf = (law: MomentsLaw, { counts, others, candidates }: Population): Moments =>
  'size' in law ? listMoments(law, counts) : stringMoments(law, candidates, counts, others);
