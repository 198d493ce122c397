/**
 * Hadamard count mean sketch (HCMS): Apple Differential Privacy Team 2017, "Learning with Privacy at Scale", §3, Private Hadamard Count
 * Mean Sketch, over a known list. A report holds a cohort and the index j of one of the m coefficients of the Hadamard transform of the
 * bucket's indicator, both drawn uniformly. It also holds the coefficient's sign (-1)^(bucket·j), flipped with probability 1/(e^ε + 1).
 * This takes a few bytes, whatever m is. Buckets are elements of GF(m), m a power of two. The family of cohorts.ts uses only the fact that
 * its numbers modulo a prime form a field, so it works here too: two answers collide in exactly c = (m^(k-1) - 1) / (m^k - 1) of the
 * cohorts.
 *
 * Law (T = 2^32): the true sign with probability truth/T. Two answers' signs differ for some cohort and j, so
 *   e^ε = truth / (T - truth)
 * Support: a report supports the answers that have the reported sign: in its cohort and at its j, half of the buckets. p = truth/T. Another
 * answer's bucket has the other sign at exactly half of all j, so q = c p + (1 - c)/2. The variance is as for k-ary response; without
 * collisions it is (e^ε + 1)² / (n (e^ε - 1)²) plus the share's own part, as in the paper's theorem.
 */

import { fieldOf } from '../arithmetic/field.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { bucketIn, collide, familyOf } from './cohorts.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';
import { isKept, leastBuckets } from './sketch.ts';
import { includeThreshold } from './subset.ts';

/** The integers of a Hadamard count mean sketch. */
export type HadamardCountMeanSketchLaw = {
  readonly mechanism: 'hadamard-count-mean-sketch';
  /** d, the number of answers. */
  readonly size: number;
  /** m, a power of two. */
  readonly buckets: number;
  /** P(the true sign) * 2^32. */
  readonly truth: number;
};

const MOST_BUCKETS = 1024;
const POWERS: readonly number[] = [2, 4, 8, 16, 32, 64, 128, 256, 512, MOST_BUCKETS];

/** 1 if coefficient j of a bucket is -1, else 0: the parity of the ones that `bucket` and `j` have in common. */
export function signOf(bucket: number, j: number): number {
  let parity = 0;
  for (let common = bucket & j; common !== 0; common &= common - 1) parity ^= 1;
  return parity;
}

/** Throws a RangeError unless m is a power of two and the tallies are small enough to keep. */
function assertBuckets(size: number, buckets: number): void {
  if (POWERS.includes(buckets) && isKept(size, buckets, 2)) return;
  throw new RangeError(
    `hadamard-count-mean-sketch: expected as buckets a power of two up to ${MOST_BUCKETS} with at most 2^21 cells for ${size} answers, got ${buckets}`,
  );
}

/**
 * The law with the largest ε that is at most the requested one.
 *
 * @param buckets m; by default the least power of two whose collisions cost at most 5 % of the mean variance
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there is no family of so many buckets
 */
export function hadamardCountMeanSketchLaw(
  size: number,
  epsilon: number,
  buckets?: number,
  modulus: number = MODULUS,
): HadamardCountMeanSketchLaw {
  const truth = includeThreshold(2, 1, epsilon, modulus);
  const chosen = buckets ?? (leastBuckets(POWERS, size, { p: truth / modulus, q: 1 / 2 }) as number);
  assertBuckets(size, chosen);
  return { mechanism: 'hadamard-count-mean-sketch', size, buckets: chosen, truth };
}

export const hadamardCountMeanSketch: Mechanism<HadamardCountMeanSketchLaw> = /* @__PURE__ */ coded<HadamardCountMeanSketchLaw>({
  name: 'hadamard-count-mean-sketch',
  tells: 'shares',
  meaning: 'Hadamard count mean sketch: a device hashes its answer to one of a few buckets, and sends one bit of that, flipped at random.',
  validate: ({ size, buckets, truth }) => {
    assertWhole(size, 2, 2 ** 21, 'hadamard-count-mean-sketch: size');
    assertBuckets(size, buckets);
    assertWhole(truth, MODULUS / 2, MODULUS - 1, 'hadamard-count-mean-sketch: truth');
  },
  odds: ({ truth }) => ({ report: ratio(BigInt(truth), BigInt(MODULUS - truth)) }),
  shape: ({ size, buckets }) => ({ cohorts: familyOf(size, buckets).cohorts, cells: 2 * buckets, form: 'symbol', runs: buckets }),
  supporting: ({ buckets }, cohort, answer) => {
    const bucket = bucketIn(fieldOf(buckets), cohort, answer);
    return Array.from({ length: buckets }, (_, j) => 2 * j + signOf(bucket, j));
  },
  support: ({ size, buckets, truth }) => collide({ p: truth / MODULUS, q: 1 / 2 }, familyOf(size, buckets)),
});
