/**
 * The fit of laws whose answers stand on a design: sets of outputs (or of cohorts and buckets) of which any two have the same
 * share in common. The design has V answers, the list d of them. The tallies' expectations are spanned by the list's,
 * so what lies outside is what the tally says of the V - d answers that nobody has: of their supports S_v each has mean n q and
 * variance n q (1-q), exactly and whatever the answers are.
 *
 * Z = Σ_v (S_v - n q)² / (n q (1-q)) has mean V - d likewise, and it is a sum of squares whose weights are the eigenvalues of
 * the covariance of S_v. With s the size of a set, λ of what two have in common, and every output at most p/s likely,
 * none of them is above L = p (1 - λ/s) / (q (1-q)), since over all V answers the sets' Gram matrix is s - λ but for a constant.
 * Of all such sums with the same mean, L times chi squared of (V - d)/L degrees has the largest moment generating function
 * (which is Schur-convex in the weights: Marshall, Olkin, Arnold 2011, §3.C), so its tail is the one that is taken.
 *
 * Where n is far below the number K of outputs, Z counts coincidences, whose third cumulant is (1 + D²/(2nK)) times that of chi
 * squared, D = V - d: L is multiplied by the square of that, with which the third cumulants are equal.
 */

import {
  bitSupport,
  type CountMeanSketchLaw,
  familyOf,
  type HadamardCountMeanSketchLaw,
  type HadamardLaw,
  type LocalHashingLaw,
  MODULUS,
  mechanismOf,
  type ProjectiveLaw,
  pointCount,
  type Support,
  vectorCount,
} from '@murmuration/shared';
import { reportsIn, supportsOf } from '../estimators/supports.ts';
import type { Tallies } from '../store/store.ts';
import type { Squares } from './classes.ts';

/** A law on a design. */
export type DesignLaw = LocalHashingLaw | HadamardLaw | ProjectiveLaw | CountMeanSketchLaw | HadamardCountMeanSketchLaw;

/** A design: how many answers it has, how many outputs, and the share of its set that an answer has in common with another. */
interface Design {
  readonly answers: number;
  readonly outputs: number;
  readonly common: number;
}

const designs: { readonly [M in DesignLaw['mechanism']]: (law: Extract<DesignLaw, { mechanism: M }>) => Design } = {
  'local-hashing': ({ size, buckets }) => {
    const { vectors, cohorts, collisions } = familyOf(size, buckets);
    return { answers: vectors, outputs: cohorts * buckets, common: collisions };
  },
  'count-mean-sketch': ({ size, bits }) => {
    const { vectors, cohorts, collisions } = familyOf(size, bits);
    return { answers: vectors, outputs: cohorts * bits, common: collisions };
  },
  'hadamard-count-mean-sketch': ({ size, buckets }) => {
    const { vectors, cohorts, collisions } = familyOf(size, buckets);
    return { answers: vectors, outputs: cohorts * 2 * buckets, common: (1 + collisions) / 2 };
  },
  hadamard: ({ order, dimension }) => ({
    answers: pointCount(order, dimension),
    outputs: vectorCount(order, dimension),
    common: 1 / order,
  }),
  projective: ({ order, dimension }) => ({
    answers: pointCount(order, dimension),
    outputs: pointCount(order, dimension),
    common: pointCount(order, dimension - 2) / pointCount(order, dimension - 1),
  }),
};

const designOf = (law: DesignLaw): Design => (designs[law.mechanism] as (law: DesignLaw) => Design)(law);

/** The supports of all answers of the design, those of the list first. */
export const allSupports = (law: DesignLaw, tallies: Tallies): Float64Array =>
  supportsOf({ ...law, size: designOf(law).answers }, tallies).cells;

/**
 * What one report adds to the support of an absent answer, less what it adds to every answer's: the mean and the variance, the
 * largest eigenvalue over the variance, and what all reports add to every answer's support.
 */
interface Absent {
  readonly mean: number;
  readonly variance: number;
  readonly stretch: number;
  readonly every: number;
}

/** Where each output supports as many answers of the design. */
function absentOf({ p, q }: Support, { common }: Design): Absent {
  const variance = q * (1 - q);
  return { mean: q, variance, stretch: (p * (1 - common)) / variance, every: 0 };
}

/**
 * Of a count mean sketch, whose reports have any number of ones: of the bit less the mean of the report's bits, so that this
 * number, which totals.ts tests, is not in it. A bit's second moment around zero/T is the largest where the bit is the answer's.
 */
function absentBit(law: CountMeanSketchLaw, { common }: Design, tallies: Tallies): Absent {
  const { p, q } = bitSupport(law);
  const m = law.bits;
  const average = (p + (m - 1) * q) / m;
  const [one, zero] = [p * (1 - p), q * (1 - q)];
  const own = (1 - 1 / m) ** 2;
  const same = own * one + ((m - 1) * zero) / m ** 2 + (p - average) ** 2;
  const other = own * zero + (one + (m - 2) * zero) / m ** 2 + (q - average) ** 2;
  const mean = common * p + (1 - common) * q - average;
  const variance = common * same + (1 - common) * other - mean ** 2;
  let ones = 0;
  for (const { cells } of tallies.values()) ones += cells.reduce((sum, count) => sum + count, 0);
  return { mean, variance, stretch: ((one + (p - q) ** 2) * (1 - common)) / variance, every: ones / m };
}

/**
 * Of its Hadamard form: of coefficients other than the first, which says + of every bucket, 1/2 for the right sign and -1/2 for
 * the other. Of two buckets the signs agree at m/2 - 1 of these m - 1.
 */
function absentSign({ buckets: m, truth, size }: HadamardCountMeanSketchLaw, tallies: Tallies): Absent {
  const { collisions } = familyOf(size, m);
  const t = truth / MODULUS;
  const apart = ((m / 2 - 1) * t + (m / 2) * (1 - t)) / (m - 1);
  const others = (m - 1) / m;
  const mean = others * (collisions * t + (1 - collisions) * apart - 1 / 2);
  const variance = others / 4 - mean ** 2;
  let every = 0;
  for (const { reports, cells } of tallies.values()) {
    const [plus, minus] = [cells[0] as number, cells[1] as number];
    every += plus + (reports - plus - minus) / 2;
  }
  return { mean, variance, stretch: (t * (1 - collisions)) / (2 * variance), every };
}

/** What all answers that the list lacks say together. */
function absent(law: DesignLaw, tallies: Tallies, supports: Float64Array, reports: number, perDevice: number): Squares {
  const design = designOf(law);
  const degrees = design.answers - law.size;
  const { mean, variance, stretch, every } =
    law.mechanism === 'count-mean-sketch'
      ? absentBit(law, design, tallies)
      : law.mechanism === 'hadamard-count-mean-sketch'
        ? absentSign(law, tallies)
        : absentOf(mechanismOf(law).support(law), design);
  const expected = reports * mean + every;
  let squares = 0;
  for (let answer = law.size; answer < design.answers; answer++) squares += ((supports[answer] as number) - expected) ** 2;
  const sparse = 1 + (degrees * degrees * perDevice) / (2 * reports * design.outputs);
  return { statistic: squares / (reports * perDevice * variance), degrees, stretch: Math.max(1, stretch) * sparse * sparse };
}

/**
 * Of Hadamard response also how a set's outputs and the others are spread: an answer has Q - 1 of the K characters, which all
 * say the same, and every other character has mean 0 and variance n. So, by Parseval's theorem and without another transform,
 *   Σ_{m≠0} C(m)² - Σ_v (Q S_v - n)² / (Q - 1),  Σ_{m≠0} C(m)² = K Σ_u C_u² - n²
 * has the exact mean n (K - 1 - d - (Q-2) (Q p - 1) / (Q-1)), and eigenvalues of at most n Q p.
 */
function characters(law: HadamardLaw, tallies: Tallies, supports: Float64Array, reports: number, perDevice: number): Squares {
  const { size, order, inside } = law;
  const { outputs } = designOf(law);
  const p = inside / MODULUS;
  let squares = -(reports ** 2);
  for (const { cells } of tallies.values()) for (const count of cells) squares += outputs * count * count;
  for (let answer = 0; answer < size; answer++) squares -= (order * (supports[answer] as number) - reports) ** 2 / (order - 1);
  const degrees = outputs - 1 - size - ((order - 2) * (order * p - 1)) / (order - 1);
  const sparse = 1 + (degrees * degrees * perDevice) / (2 * reports * outputs);
  return { statistic: Math.max(0, squares) / (reports * perDevice), degrees, stretch: order * p * sparse * sparse };
}

/** The fit of a law on a design, from the supports of all its answers; undefined where every tally fits. */
export function designFit(law: DesignLaw, tallies: Tallies, supports: Float64Array, perDevice: number): Squares | undefined {
  const reports = reportsIn(tallies);
  const found = (law.mechanism === 'hadamard' ? characters : absent) as typeof absent;
  const squares = found(law, tallies, supports, reports, perDevice);
  return squares.degrees > 0 ? squares : undefined;
}
