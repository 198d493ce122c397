/**
 * The shares of a list's answers from the count mean sketch (CMS). Given the cohort, the bits are independent. So the probability that the
 * buckets of two answers are both supported is the product of their probabilities.
 */

import { bitSupport, bucketOf, type CountMeanSketchLaw, countMeanSketchLaw, familyOf, mechanismOf } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import { cohortSupports } from '../cohorts.ts';
import type { AnswerEstimation, Pairs } from '../estimation.ts';
import { pureList } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { boundsOfSupport } from '../watch/bounds.ts';
import { type Absent, absentSquares, onDesign, type Supported } from '../watch/designs.ts';
import { totalsPValue } from '../watch/ones.ts';

const supports = ({ size, bits }: CountMeanSketchLaw, tallies: Tallies): Float64Array =>
  cohortSupports(size, bits, (cohort) => tallies.get(cohort)?.cells);

/** The expected number of reports that support both u and v, in a population with these counts of answers. */
function jointBits(law: CountMeanSketchLaw, counts: readonly number[]): Pairs {
  const { p, q } = bitSupport(law);
  const { cohorts } = familyOf(law.size, law.bits);
  const n = counts.reduce((sum, count) => sum + count, 0);
  const joint = new Matrix(law.size, law.size);
  for (let cohort = 0; cohort < cohorts; cohort++) {
    const buckets = counts.map((_, answer) => bucketOf(law.bits, cohort, answer));
    const own = new Float64Array(law.bits);
    buckets.forEach((bucket, answer) => {
      own[bucket] = (own[bucket] as number) + (counts[answer] as number);
    });
    buckets.forEach((a, u) => {
      buckets.forEach((b, v) => {
        const [ofA, ofB] = [own[a] as number, own[b] as number];
        const both = a === b ? ofA * p + (n - ofA) * q : (ofA + ofB) * p * q + (n - ofA - ofB) * q * q;
        joint.set(u, v, joint.get(u, v) + both / cohorts);
      });
    });
  }
  return (u, v) => joint.get(u, v);
}

/**
 * A statistic for absent answers, for reports with any number of ones. It uses each bit minus the mean of the report's bits, so it does not
 * depend on the number of ones, which ones.ts tests. A bit's second moment around zero/T is largest when the bit belongs to the answer.
 */
function absentBit(law: CountMeanSketchLaw, { design: { common }, tallies }: Supported): Absent {
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

export const countMeanSketch: AnswerEstimation<CountMeanSketchLaw> = {
  ...pureList(supports),
  named: ({ size, bits }, { permanent }) => [
    (e) => countMeanSketchLaw(size, e, permanent),
    (e) => countMeanSketchLaw(size, e, permanent, bits),
  ],
  pairs: jointBits,
  isSumFixed: () => false,
  bounds: (law) => boundsOfSupport(bitSupport(law)),
  fit: onDesign({
    design: ({ size, bits }) => {
      const { vectors, cohorts, collisions } = familyOf(size, bits);
      return { answers: vectors, outputs: cohorts * bits, common: collisions };
    },
    support: (law) => mechanismOf(law).support(law),
    supports,
    squares: (law, supported) => absentSquares(absentBit(law, supported), supported),
    more: (law, tallies, perDevice) => totalsPValue(law, law.bits, 1, tallies, perDevice),
  }),
  simulated: [
    { of: 'list', name: 'count-mean-sketch', law: (answers, epsilon) => countMeanSketchLaw(answers, epsilon), client: 'countMeanSketch' },
  ],
};
