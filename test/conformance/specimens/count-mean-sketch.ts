import { type CountMeanSketchLaw, countMeanSketchLaw } from '@murmuration/shared';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeCountMeanSketch } from '#client/randomizers/count-mean-sketch.ts';
import { bitsReport, bitsRow, distribution } from '../../proofs/channel.ts';
import { bucketsOf } from '../../proofs/geometry.ts';
import { multiply, rational } from '../../proofs/rational.ts';
import type { Specimen, Stages } from './specimen.ts';

/** The bytes of the cohort; none if there is only one cohort. */
const front = ({ size, bits }: CountMeanSketchLaw, cohort: number): number | undefined => (bits < size ? cohort : undefined);

export const countMeanSketch: Specimen<CountMeanSketchLaw> = {
  randomize: randomizeCountMeanSketch,
  row: (law, input, T) => {
    const buckets = law.bits === law.size ? [input] : bucketsOf(law.bits, law.size, input);
    return distribution(
      buckets.flatMap((bucket, cohort) =>
        [...bitsRow(law.bits, rational(law.one, T), rational(law.zero, T), [bucket], front(law, cohort))].map(
          ([report, chance]) => [report, multiply(chance, rational(1, buckets.length))] as const,
        ),
      ),
    );
  },
  respond: respondBits,
  again: (law, { cohort, cells }, T) => {
    const { one, zero } = law.irr as Stages;
    return bitsRow(law.bits, rational(one, T), rational(zero, T), cells, front(law, cohort));
  },
  encode: (law, { cohort, cells }) => bitsReport(cells, law.bits, front(law, cohort)),
  thresholds: ({ size, bits, one, zero }) => {
    // In the cohort of word 0, and so in every cohort, input 0 has bucket 0.
    const cohort = bits < size ? [0] : [];
    return [
      [one, cohort],
      [zero, [...cohort, 0]],
    ];
  },
  laws: [
    countMeanSketchLaw(2, 0.01),
    countMeanSketchLaw(3, 1, undefined, 2),
    countMeanSketchLaw(4, 2, undefined, 2),
    countMeanSketchLaw(5, 1, undefined, 3),
    countMeanSketchLaw(3, 1, 4, 2),
  ],
  small: [
    [countMeanSketchLaw(4, 2, undefined, 2, 32), 32],
    [countMeanSketchLaw(3, 1, 3, 2, 16), 16],
  ],
  large: [
    countMeanSketchLaw(16, 1),
    countMeanSketchLaw(20, 1, undefined, 5),
    countMeanSketchLaw(50, 3, undefined, 7),
    countMeanSketchLaw(20, 1, 4, 3),
  ],
  at: (e) => countMeanSketchLaw(16, e),
  lengths: [countMeanSketchLaw(16, 1), countMeanSketchLaw(1000, 1), countMeanSketchLaw(1000, 1, 4, 31)],
};
