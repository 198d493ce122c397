/**
 * The shares of a list's answers from the Hadamard count mean sketch (HCMS): a transform of each cohort to its buckets, then a transform
 * over the cohorts.
 */

import { familyOf, type HadamardCountMeanSketchLaw, hadamardCountMeanSketchLaw, MODULUS, mechanismOf } from '@murmuration/shared';
import { cohortSupports } from '../cohorts.ts';
import type { AnswerEstimation } from '../estimation.ts';
import { jointSupports } from '../pairs.ts';
import { pureList } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { type Bounds, chancesPValue } from '../watch/bounds.ts';
import { type Absent, absentSquares, onDesign, type Supported } from '../watch/designs.ts';
import { walshHadamard } from './hadamard.ts';

/**
 * The supports of bucket b in a cohort: half of all reports, plus half of the Walsh-Hadamard transform at b of the + counts minus the -
 * counts.
 */
const supports = ({ size, buckets }: HadamardCountMeanSketchLaw, tallies: Tallies): Float64Array =>
  cohortSupports(size, buckets, (cohort) => {
    const cells = tallies.get(cohort)?.cells;
    if (cells === undefined) return undefined;
    const all = cells.reduce((sum, count) => sum + count, 0);
    const signed = Float64Array.from({ length: buckets }, (_, j) => (cells[2 * j] as number) - (cells[2 * j + 1] as number));
    return walshHadamard(signed).map((sum) => (all + sum) / 2);
  });

/**
 * A statistic for absent answers: over the coefficients other than the first (which has the sign + in every bucket), 1/2 for the right sign
 * and -1/2 for the other. The signs of two buckets agree at m/2 - 1 of these m - 1 coefficients.
 */
function absentSign({ buckets: m, truth, size }: HadamardCountMeanSketchLaw, { tallies }: Supported): Absent {
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

/** Tests the coefficients, which are equally frequent, and the sign of the first, which is + in every bucket. */
function coefficients({ buckets, truth }: HadamardCountMeanSketchLaw, tallies: Tallies, perDevice: number): number | undefined {
  const right = truth / MODULUS;
  const counts = Array<number>(buckets + 1).fill(0); // the last count is that of the first coefficient with the sign -
  for (const { cells } of tallies.values()) {
    cells.forEach((count, cell) => {
      const at = cell === 1 ? buckets : cell >> 1;
      counts[at] = (counts[at] as number) + count;
    });
  }
  const each = 1 / buckets;
  return chancesPValue(
    counts,
    counts.map((_, at) => (at === 0 ? each * right : at === buckets ? each * (1 - right) : each)),
    perDevice,
  );
}

/** The bounds of a coefficient and its sign. */
function boundsOf({ truth, buckets }: HadamardCountMeanSketchLaw): Bounds {
  const [right, wrong] = [truth / MODULUS / buckets, (1 - truth / MODULUS) / buckets];
  const either = { p: right, q: wrong };
  // Coefficient 0 has the sign + in every bucket.
  const first = [
    { p: right, q: right },
    { p: wrong, q: wrong },
  ];
  return (_cohort, cell) => first[cell] ?? either;
}

export const hadamardCountMeanSketch: AnswerEstimation<HadamardCountMeanSketchLaw> = {
  ...pureList(supports),
  named: ({ size, buckets }) => [(e) => hadamardCountMeanSketchLaw(size, e), (e) => hadamardCountMeanSketchLaw(size, e, buckets)],
  pairs: jointSupports,
  isSumFixed: () => false,
  bounds: boundsOf,
  fit: onDesign({
    design: ({ size, buckets }) => {
      const { vectors, cohorts, collisions } = familyOf(size, buckets);
      return { answers: vectors, outputs: cohorts * 2 * buckets, common: (1 + collisions) / 2 };
    },
    support: (law) => mechanismOf(law).support(law),
    supports,
    squares: (law, supported) => absentSquares(absentSign(law, supported), supported),
    more: coefficients,
  }),
  simulated: [
    {
      of: 'list',
      name: 'hadamard-count-mean-sketch',
      law: (answers, epsilon) => hadamardCountMeanSketchLaw(answers, epsilon),
      client: 'hadamardCountMeanSketch',
    },
  ],
};
