/**
 * Hadamard response (HR): Acharya, Sun, Zhang 2019, "Hadamard Response: Estimating Distributions Privately, Efficiently, and with Little
 * Communication". An answer v has a set S_v of the K outputs: those where its row of the Hadamard matrix is +1. An output in the set is e^ε
 * times as likely as one outside (§3). A report is log₂ K bits, and one fast Walsh-Hadamard transform computes the supports of all answers
 * (§4).
 *
 * Sets of half the outputs suit small ε. For any ε the paper (§5) places B blocks of the matrix along the diagonal, so that S_v has 1/(2B)
 * of the outputs. Sets of one block then meet while those of two blocks do not, so no single q holds. The paper's estimator subtracts half
 * of the block's own count, which doubles the noise at large ε. Here S_v is instead the set where log₂ Q rows of one matrix are all +1.
 * Outputs and answers are vectors u, v over GF(Q), Q = 2B a power of two, and S_v is the set of u that pair with v to 0 (points.ts). u
 * pairs with v to 0 exactly when the Q characters (-1)^Tr(λ u·v) are all 1, so
 *   [u in S_v] = (1/Q) Σ_λ (-1)^Tr(λ u·v):
 * These are Q rows of the Hadamard matrix of order K = Q^n. For Q = 2 this is the paper's §4. Answers are points, never multiples of each
 * other, so any two sets share 1/Q of each. The protocol is therefore exactly pure (law.ts), whatever d is.
 *
 * Law (T = 2^32): with probability inside/T a uniform output of S_v, which has K/Q outputs, else one of the others, drawn uniformly.
 *   e^ε = inside (Q - 1) / (T - inside)
 * Support: p = inside/T. For another answer x, a share 1/Q of both S_x and its complement lies in S_v, so q = 1/Q. The variance is as for
 * k-ary response. At Q = e^ε + 1 it is that of optimized unary encoding and, for long lists, of subset selection: 4e^ε / (n (e^ε - 1)²).
 */

import { exp } from '../arithmetic/exponential.ts';
import { fieldOf } from '../arithmetic/field.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';
import { type Design, dimensionFor, fewestCells, pairing, pointCode, pointCount, vectorCount } from './points.ts';
import { includeThreshold, meanVariance } from './subset.ts';

/** The integers of a Hadamard response. */
export type HadamardLaw = {
  readonly mechanism: 'hadamard';
  /** d, the number of answers. */
  readonly size: number;
  /** Q, a power of two. A report lies in the sets of one in Q answers. */
  readonly order: number;
  /** n: there are Q^n outputs. */
  readonly dimension: number;
  /** P(the output is in the answer's set) * 2^32. */
  readonly inside: number;
};

/** The largest Q. */
const MOST_ORDER = 1024;
/** The largest tally. */
const MOST_CELLS = 2 ** 21;

/** The designs for `size` answers, each with as few outputs as possible. */
function designs(size: number, epsilon: number): readonly Design[] {
  const e = exp(epsilon);
  const found: Design[] = [];
  for (let order = 2; order <= MOST_ORDER; order *= 2) {
    const dimension = dimensionFor(order, size);
    const cells = vectorCount(order, dimension);
    const variance = meanVariance(size, { p: e / (e + (order - 1)), q: 1 / order });
    if (cells <= MOST_CELLS) found.push({ order, dimension, cells, variance });
  }
  return found;
}

/**
 * The law with the largest ε that is at most the requested one.
 *
 * @param order Q; by default the design with the fewest outputs among those within 3 % of the least mean variance
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or when it would have more than 2^21 outputs
 */
export function hadamardLaw(size: number, epsilon: number, order?: number, modulus: number = MODULUS): HadamardLaw {
  const best = fewestCells(designs(size, epsilon).filter((design) => order === undefined || design.order === order));
  if (best === undefined) {
    throw new RangeError(
      `hadamard: expected a power of two from 2 to ${MOST_ORDER} as order, and at most ${MOST_CELLS} outputs, got ${size} answers and order ${order}`,
    );
  }
  const inside = includeThreshold(best.order, 1, epsilon, modulus);
  return { mechanism: 'hadamard', size, order: best.order, dimension: best.dimension, inside };
}

/** K, the number of outputs. */
const outputs = ({ order, dimension }: HadamardLaw): number => vectorCount(order, dimension);

export const hadamard: Mechanism<HadamardLaw> = /* @__PURE__ */ coded<HadamardLaw>({
  name: 'hadamard',
  tells: 'shares',
  meaning:
    'Hadamard response: each answer has a set of outputs, a known part of them all; a device sends one that is more likely from the set of its own.',
  validate: (law) => {
    const { size, order, dimension, inside } = law;
    assertWhole(order, 2, MOST_ORDER, 'hadamard: order');
    if ((order & (order - 1)) !== 0) throw new RangeError(`hadamard: expected order to be a power of two, got ${order}`);
    assertWhole(dimension, 2, 21, 'hadamard: dimension');
    assertWhole(outputs(law), 4, MOST_CELLS, 'hadamard: outputs, order^dimension');
    assertWhole(size, 2, pointCount(order, dimension), 'hadamard: size');
    assertWhole(inside, MODULUS / order, MODULUS - 1, 'hadamard: inside');
  },
  odds: ({ order, inside }) => ({ report: ratio(BigInt(inside) * BigInt(order - 1), BigInt(MODULUS - inside)) }),
  shape: (law) => ({ cohorts: 1, cells: outputs(law), form: 'symbol' }),
  supporting: (law, _cohort, answer) => {
    const field = fieldOf(law.order);
    const v = pointCode(law.order, answer);
    const all = Array.from({ length: outputs(law) }, (_, u) => u);
    return all.filter((u) => pairing(field, law.dimension, u, v) === 0);
  },
  support: ({ order, inside }) => ({ p: inside / MODULUS, q: 1 / order }),
});
