/**
 * Count mean sketch (CMS): Apple Differential Privacy Team 2017, "Learning with Privacy at Scale", §3, Private Count Mean Sketch, over a
 * known list. A report holds a cohort, drawn uniformly, and m bits. The bit of the answer's bucket is 1 and the others are 0, and each is
 * then flipped with probability 1/(e^(ε/2) + 1): symmetric unary encoding of the bucket (unary.ts). Two answers' bits differ in exactly two
 * places in the cohorts where they do not collide, and nowhere in the others, so (T = 2^32)
 *   e^ε = one (T - zero) / (zero (T - one)),  one = T - zero
 * Support: a report supports the answers whose bit in its cohort is 1, so p = one/T and q = c p + (1 - c) zero/T, with c of sketch.ts. The
 * variance is as for k-ary response; without collisions it is e^(ε/2) / (n (e^(ε/2) - 1)²) plus the share's own part, as in the paper's
 * theorem. Permanent: the cohort is stored with its bits, and each report sends the bits through a second stage (bits.ts).
 */

import { assertStages, type BitStages, bitOdds, bitSupport } from './bits.ts';
import { coded } from './codec.ts';
import { bucketOf, collide, familyOf, isFamily } from './cohorts.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';
import { isKept, leastBuckets } from './sketch.ts';
import { symmetricUnaryLaw } from './unary.ts';

/** The integers of a count mean sketch. */
export type CountMeanSketchLaw = BitStages & {
  readonly mechanism: 'count-mean-sketch';
  /** d, the number of answers. */
  readonly size: number;
  /** m, the bits of a report: a prime below `size`, or `size` itself. */
  readonly bits: number;
};

/** True if m is d or a prime below it, and the tallies are small enough to keep. */
const isAllowed = (size: number, bits: number): boolean => isFamily(size, bits) && isKept(size, bits, 1);

/** The primes below the number of answers, then that number itself, if the tallies are small enough to keep. */
function* candidates(size: number): Generator<number> {
  for (let bits = 2; bits < size && bits * bits <= 2 ** 21; bits++) if (isAllowed(size, bits)) yield bits;
  yield size;
}

function assertBits(size: number, bits: number): void {
  if (isAllowed(size, bits)) return;
  throw new RangeError(
    `count-mean-sketch: expected as many bits as the ${size} answers, or a prime below with at most 2^21 cells in all cohorts, got ${bits}`,
  );
}

/**
 * The law with the largest ε that do not exceed the requested ones.
 *
 * @param permanent ε∞ of an epoch's whole history, at least `epsilon`, where there are two stages
 * @param bits m; by default the least for which collisions cost at most 5 % of the mean variance
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there is no family of so many bits
 */
export function countMeanSketchLaw(
  size: number,
  epsilon: number,
  permanent?: number,
  bits?: number,
  modulus: number = MODULUS,
): CountMeanSketchLaw {
  const { one, zero, irr } = symmetricUnaryLaw(size, epsilon, permanent, modulus);
  const stages = { one, zero, ...(irr && { irr }) };
  const own = bitSupport(symmetricUnaryLaw(size, epsilon));
  const chosen = bits ?? (leastBuckets(candidates(size), size, own) as number);
  assertBits(size, chosen);
  return { mechanism: 'count-mean-sketch', size, bits: chosen, ...stages };
}

export const countMeanSketch: Mechanism<CountMeanSketchLaw> = /* @__PURE__ */ coded<CountMeanSketchLaw>({
  name: 'count-mean-sketch',
  tells: 'shares',
  meaning: 'Count mean sketch: a device hashes its answer to one of a few bits, flips each of them at random, and sends what comes out.',
  validate: (law) => {
    assertWhole(law.size, 2, 2 ** 21, 'count-mean-sketch: size');
    assertBits(law.size, law.bits);
    assertStages('count-mean-sketch', law);
  },
  odds: (law) => bitOdds(law, 1),
  shape: ({ size, bits }) => ({ cohorts: familyOf(size, bits).cohorts, cells: bits, form: 'bits' }),
  supporting: ({ bits }, cohort, answer) => [bucketOf(bits, cohort, answer)],
  support: (law, stage) => collide(bitSupport(law, stage), familyOf(law.size, law.bits)),
});
