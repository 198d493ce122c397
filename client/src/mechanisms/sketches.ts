/** Apple's sketches over a list, chosen by name. */

import {
  bucketIn,
  bucketOf,
  bytesFor,
  type CountMeanSketchLaw,
  countMeanSketchLaw,
  familyOf,
  fieldOf,
  fromBigEndian,
  type HadamardCountMeanSketchLaw,
  hadamardCountMeanSketchLaw,
  hasBit,
  signOf,
} from '@murmuration/shared';
import type { ListMechanism, Randomizing } from '../questions/question.ts';
import { randomizeCountMeanSketch } from '../randomizers/count-mean-sketch.ts';
import { randomizeHadamardCountMeanSketch } from '../randomizers/hadamard-count-mean-sketch.ts';
import { refusePermanent } from './designs.ts';

const cohortBytes = (size: number, buckets: number): number => bytesFor(familyOf(size, buckets).cohorts - 1);

/** True if the answer's bit is set. */
const hasItsBit: NonNullable<Randomizing['says']> = (law, bytes, answer) => {
  const { size, bits } = law as CountMeanSketchLaw;
  const front = cohortBytes(size, bits);
  return hasBit(bytes, bucketOf(bits, fromBigEndian(bytes.slice(0, front)), answer), front);
};

/** True if the answer has the reported sign. */
const hasItsSign: NonNullable<Randomizing['says']> = (law, bytes, answer) => {
  const { size, buckets } = law as HadamardCountMeanSketchLaw;
  const front = cohortBytes(size, buckets);
  const [cohort, said] = [fromBigEndian(bytes.slice(0, front)), fromBigEndian(bytes.slice(front))];
  return signOf(bucketIn(fieldOf(buckets), cohort, answer), said >> 1) === (said & 1);
};

/**
 * Count mean sketch (CMS): noisy bits that encode one of a few buckets. Setting `bits`, a prime below the number of answers, can cause more
 * collisions. They cost variance but leave no bias.
 *
 * @example choice(words, { epsilon: 4, description: 'Which of these words?', mechanism: countMeanSketch() })
 */
export const countMeanSketch = ({ bits }: { readonly bits?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => countMeanSketchLaw(size, epsilon, permanent, bits),
  randomizers: { 'count-mean-sketch': randomizeCountMeanSketch },
  says: hasItsBit,
});

/**
 * Hadamard count mean sketch (HCMS): a single bit of the sketch, with the cohort and the number of the bit. `buckets` is a power of two.
 *
 * @example choice(words, { epsilon: 1, description: 'Which of these words?', mechanism: hadamardCountMeanSketch() })
 */
export const hadamardCountMeanSketch = ({ buckets }: { readonly buckets?: number } = {}): ListMechanism => ({
  takes: 'list',
  law: (size, epsilon, _devices, permanent) => {
    refusePermanent('hadamard-count-mean-sketch', permanent);
    return hadamardCountMeanSketchLaw(size, epsilon, buckets);
  },
  randomizers: { 'hadamard-count-mean-sketch': randomizeHadamardCountMeanSketch },
  says: hasItsSign,
});
