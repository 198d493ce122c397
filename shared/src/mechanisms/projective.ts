/**
 * Projective geometry response (PGR): Feldman, Nelson, Nguyen, Talwar 2022, "Private Frequency Estimation via Projective Geometry", ICML.
 * Answers and outputs are points of PG(t-1, q), q a prime power. The set S_v of an answer v is the outputs u orthogonal to it (points.ts).
 * An output in the set is e^ε times as likely as one outside. There are K = (q^t - 1)/(q - 1) outputs, a set has s = (q^(t-1) - 1)/(q - 1)
 * of them, and any two sets share λ = (q^(t-2) - 1)/(q - 1). The protocol is therefore exactly pure (law.ts).
 *
 * Law (T = 2^32): with probability inside/T a uniform output of S_v, else one of the K - s = q^(t-1) others, drawn uniformly.
 *   e^ε = inside (K - s) / ((T - inside) s)
 * Support: p = inside / T; q = p λ/s + (1-p) (s - λ)/(K - s). The variance is as for k-ary response. Near q = e^ε + 1 it is 4e^ε / (n (e^ε
 * - 1)²), that of subset selection on long lists, at log₂ K bits per report. For t = 2 the sets are single outputs, and the mechanism is
 * k-ary response over q + 1 symbols.
 */

import { exp } from '../arithmetic/exponential.ts';
import { fieldOf, isFieldOrder } from '../arithmetic/field.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertWhole, type Mechanism, MODULUS, type Support } from './law.ts';
import { type Design, dimensionFor, fewestCells, pairing, pointCode, pointCount, vectorCount } from './points.ts';
import { includeThreshold, meanVariance } from './subset.ts';

/** The integers of a projective geometry response. */
export type ProjectiveLaw = {
  readonly mechanism: 'projective';
  /** d, the number of answers. */
  readonly size: number;
  /** q, a prime power. */
  readonly order: number;
  /** t: outputs are the points of PG(t-1, q). */
  readonly dimension: number;
  /** P(the output is in the answer's set) * 2^32. */
  readonly inside: number;
};

/** The largest tally, and the most steps q K (t - 2) that the supports of all answers may take. */
const MOST_CELLS = 2 ** 22;
const MOST_STEPS = 2 ** 30;

const supportOf = (order: number, dimension: number, p: number): Support => ({
  p,
  q: (p * pointCount(order, dimension - 2)) / pointCount(order, dimension - 1) + (1 - p) / order,
});

/** The nearest order of a field from `from` upwards or downwards; 1 if there is none below. */
function orderNear(from: number, step: 1 | -1): number {
  let order = from;
  while (order > 1 && !isFieldOrder(order)) order += step;
  return order;
}

/** Candidate orders: the prime powers around e^ε + 1, as the paper recommends, and for each dimension the least with enough points. */
function orders(size: number, e: number): readonly number[] {
  const found: number[] = [];
  const wanted = Math.floor(e + 1);
  if (wanted < MOST_CELLS) found.push(orderNear(wanted, -1), orderNear(wanted + 1, 1));
  for (let dimension = 2, order = 0; order !== 2; dimension++) {
    let [low, high] = [2, Math.max(2, size)]; // bisection for the least whole number with enough points
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (pointCount(middle, dimension) >= size) high = middle;
      else low = middle + 1;
    }
    order = orderNear(low, 1);
    found.push(order);
  }
  return [...new Set(found)];
}

/** The design of an order with as few outputs as possible. */
function designOf(size: number, e: number, order: number): Design {
  const dimension = dimensionFor(order, size);
  const [cells, set] = [pointCount(order, dimension), pointCount(order, dimension - 1)];
  const p = (set * e) / (set * e + (cells - set));
  return { order, dimension, cells, variance: meanVariance(size, supportOf(order, dimension, p)) };
}

/**
 * The law with the largest ε that is at most the requested one.
 *
 * @param order q; by default the design with the fewest outputs among those within 3 % of the least mean variance
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, when it would have more than 2^22 outputs, or take 2^30 steps
 */
export function projectiveLaw(size: number, epsilon: number, order?: number, modulus: number = MODULUS): ProjectiveLaw {
  const e = exp(epsilon);
  if (order !== undefined) fieldOf(order);
  const designs = (order === undefined ? orders(size, e) : [order]).map((each) => designOf(size, e, each));
  const fits = ({ order: q, dimension, cells }: Design): boolean => cells <= MOST_CELLS && q * cells * (dimension - 2) <= MOST_STEPS;
  const best = fewestCells(designs.filter(fits));
  if (best === undefined) {
    throw new RangeError(`projective: expected at most ${MOST_CELLS} outputs and 2^30 steps, got ${size} answers and order ${order}`);
  }
  const inside = includeThreshold(best.cells, pointCount(best.order, best.dimension - 1), epsilon, modulus);
  return { mechanism: 'projective', size, order: best.order, dimension: best.dimension, inside };
}

/** K, the number of outputs. */
const outputs = ({ order, dimension }: ProjectiveLaw): number => pointCount(order, dimension);

export const projective: Mechanism<ProjectiveLaw> = /* @__PURE__ */ coded<ProjectiveLaw>({
  name: 'projective',
  tells: 'shares',
  meaning:
    'Projective geometry response: each answer has a set of outputs, a known part of them all; a device sends one that is more likely from the set of its own.',
  validate: (law) => {
    const { size, order, dimension, inside } = law;
    fieldOf(order);
    assertWhole(dimension, 2, 22, 'projective: dimension');
    assertWhole(outputs(law), 3, MOST_CELLS, 'projective: outputs');
    assertWhole(size, 2, outputs(law), 'projective: size');
    const set = pointCount(order, dimension - 1);
    assertWhole(inside, Math.ceil((MODULUS * set) / outputs(law)), MODULUS - 1, 'projective: inside');
  },
  odds: ({ order, dimension, inside }) => ({
    report: ratio(
      BigInt(inside) * BigInt(vectorCount(order, dimension - 1)),
      BigInt(MODULUS - inside) * BigInt(pointCount(order, dimension - 1)),
    ),
  }),
  shape: (law) => ({ cohorts: 1, cells: outputs(law), form: 'symbol' }),
  supporting: (law, _cohort, answer) => {
    const field = fieldOf(law.order);
    const v = pointCode(law.order, answer);
    const all = Array.from({ length: outputs(law) }, (_, index) => index);
    return all.filter((index) => pairing(field, law.dimension, pointCode(law.order, index), v) === 0);
  },
  support: ({ order, dimension, inside }) => supportOf(order, dimension, inside / MODULUS),
});
