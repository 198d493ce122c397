import { type HadamardCountMeanSketchLaw, hadamardCountMeanSketchLaw } from '@murmuration/shared';
import { randomizeHadamardCountMeanSketch } from '#client/randomizers/hadamard-count-mean-sketch.ts';
import { distribution, indexReport, range } from '../../proofs/channel.ts';
import { bucketsOf } from '../../proofs/geometry.ts';
import { rational } from '../../proofs/rational.ts';
import type { Specimen } from './specimen.ts';

const encode = ({ size, buckets }: HadamardCountMeanSketchLaw, cohort: number, cell: number): string =>
  (buckets < size ? indexReport(cohort, 2) : '') + indexReport(cell, 2 * buckets);

/** The entry of a row and a column of the Hadamard matrix by Sylvester's construction: [[H, H], [H, -H]]. */
const isNegative = (order: number, row: number, column: number): boolean => {
  if (order === 1) return false;
  const half = order / 2;
  return isNegative(half, row % half, column % half) !== (row >= half && column >= half);
};

export const hadamardCountMeanSketch: Specimen<HadamardCountMeanSketchLaw> = {
  randomize: randomizeHadamardCountMeanSketch,
  row: (law, input, T) => {
    const { size, buckets: m, truth } = law;
    const buckets = bucketsOf(m, size, input);
    return distribution(
      buckets.flatMap((bucket, cohort) =>
        range(m).flatMap((j) =>
          [0, 1].map((sign) => {
            const isTrue = isNegative(m, bucket, j) === (sign === 1);
            return [encode(law, cohort, 2 * j + sign), rational(isTrue ? truth : T - truth, T * m * buckets.length)] as const;
          }),
        ),
      ),
    );
  },
  encode: (law, { cohort, cells: [cell] }) => encode(law, cohort, cell as number),
  thresholds: ({ size, buckets, truth }) => [[truth, buckets < size ? [0, 0] : [0]]],
  laws: [
    hadamardCountMeanSketchLaw(2, 0.01),
    hadamardCountMeanSketchLaw(4, 1),
    hadamardCountMeanSketchLaw(5, 1, 2),
    hadamardCountMeanSketchLaw(9, 2, 4),
  ],
  small: [
    [hadamardCountMeanSketchLaw(3, 1, 2, 64), 64],
    [hadamardCountMeanSketchLaw(5, 2, 4, 16), 16],
    [hadamardCountMeanSketchLaw(4, 1, 4, 64), 64],
  ],
  large: [
    hadamardCountMeanSketchLaw(16, 1),
    hadamardCountMeanSketchLaw(20, 2, 4),
    hadamardCountMeanSketchLaw(50, 3, 8),
    hadamardCountMeanSketchLaw(30, 1, 2),
  ],
  at: (e) => hadamardCountMeanSketchLaw(16, e),
  lengths: [hadamardCountMeanSketchLaw(16, 1), hadamardCountMeanSketchLaw(1000, 1)],
};
