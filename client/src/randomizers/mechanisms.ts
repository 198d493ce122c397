/**
 * The functions of each mechanism that a device may run, under the mechanism's name: what turns a value into a report, what turns a stored
 * symbol into one if the mechanism has a stage of its own for that, and what says whether a report names an answer. Each is a constant of its
 * own, so that a bundle contains only those that it uses.
 */

import {
  bucketIn,
  bucketOf,
  bytesFor,
  type CountMeanSketchLaw,
  familyOf,
  fieldOf,
  fromBigEndian,
  type HadamardCountMeanSketchLaw,
  type HadamardLaw,
  hasBit,
  type ProjectiveLaw,
  pairing,
  pointCode,
  signOf,
} from '@murmuration/shared';
import { saysHashed } from '../long-list.ts';
import type { Randomizing } from '../questions/question.ts';
import { randomizeCountMeanSketch } from './count-mean-sketch.ts';
import { randomizeDBitFlip } from './d-bit-flip.ts';
import { randomizeExponential } from './exponential.ts';
import { randomizeGeometric } from './geometric.ts';
import { randomizeHadamard } from './hadamard.ts';
import { randomizeHadamardCountMeanSketch } from './hadamard-count-mean-sketch.ts';
import { randomizeHierarchical } from './hierarchical.ts';
import { randomizeHybrid } from './hybrid.ts';
import { randomizeKAry } from './k-ary.ts';
import { randomizeLaplace } from './laplace.ts';
import { randomizeLocalHashing, respondLocalHashing } from './local-hashing.ts';
import { randomizeOneBit } from './one-bit.ts';
import { randomizePiecewise, respondAround } from './piecewise.ts';
import { randomizePrefixHashing } from './prefix-hashing.ts';
import { randomizePrivSet } from './privset.ts';
import { randomizeProjective } from './projective.ts';
import { randomizeRappor } from './rappor.ts';
import { randomizeScored } from './scored.ts';
import { randomizeStringHashing, respondStringHashing } from './string-hashing.ts';
import { randomizeSubset } from './subset.ts';
import { randomizeUnary } from './unary.ts';

type Says = NonNullable<Randomizing['says']>;

export const kAry: Randomizing = { randomizers: { 'k-ary': randomizeKAry } };
export const subset: Randomizing = { randomizers: { subset: randomizeSubset } };
export const unary: Randomizing = { randomizers: { unary: randomizeUnary } };
export const oneBit: Randomizing = { randomizers: { 'one-bit': randomizeOneBit } };
export const privset: Randomizing = { randomizers: { privset: randomizePrivSet } };
export const exponential: Randomizing = { randomizers: { exponential: randomizeExponential } };
export const scored: Randomizing = { randomizers: { scored: randomizeScored } };
export const piecewise: Randomizing = { randomizers: { piecewise: randomizePiecewise } };
export const hybrid: Randomizing = { randomizers: { hybrid: randomizeHybrid } };
export const laplace: Randomizing = { randomizers: { laplace: randomizeLaplace } };
export const geometric: Randomizing = { randomizers: { geometric: randomizeGeometric } };
export const hierarchical: Randomizing = { randomizers: { hierarchical: randomizeHierarchical } };
export const squareWave: Randomizing = { randomizers: { 'square-wave': respondAround } };
export const rappor: Randomizing = { randomizers: { rappor: randomizeRappor } };
export const prefixHashing: Randomizing = { randomizers: { 'prefix-hashing': randomizePrefixHashing } };
export const stringHashing: Randomizing = { randomizers: { 'string-hashing': randomizeStringHashing }, respond: respondStringHashing };
export const localHashing: Randomizing = {
  randomizers: { 'local-hashing': randomizeLocalHashing },
  respond: respondLocalHashing,
  says: saysHashed,
};

/** Bits for some of the answers, often for several of them or none. */
export const dBitFlip: Randomizing = { randomizers: { 'd-bit-flip': randomizeDBitFlip }, says: () => false };

/** True if a vector is in an answer's set. */
const isOrthogonal = ({ order, dimension }: HadamardLaw | ProjectiveLaw, vector: number, answer: number): boolean =>
  pairing(fieldOf(order), dimension, vector, pointCode(order, answer)) === 0;

export const hadamard: Randomizing = {
  randomizers: { hadamard: randomizeHadamard },
  says: (law, bytes, answer) => isOrthogonal(law as HadamardLaw, fromBigEndian(bytes), answer),
};
export const projective: Randomizing = {
  randomizers: { projective: randomizeProjective },
  says: (law, bytes, answer) => isOrthogonal(law as ProjectiveLaw, pointCode((law as ProjectiveLaw).order, fromBigEndian(bytes)), answer),
};

const cohortBytes = (size: number, buckets: number): number => bytesFor(familyOf(size, buckets).cohorts - 1);

/** True if the answer's bit is set. */
const hasItsBit: Says = (law, bytes, answer) => {
  const { size, bits } = law as CountMeanSketchLaw;
  const front = cohortBytes(size, bits);
  return hasBit(bytes, bucketOf(bits, fromBigEndian(bytes.slice(0, front)), answer), front);
};

/** True if the answer has the reported sign. */
const hasItsSign: Says = (law, bytes, answer) => {
  const { size, buckets } = law as HadamardCountMeanSketchLaw;
  const front = cohortBytes(size, buckets);
  const [cohort, said] = [fromBigEndian(bytes.slice(0, front)), fromBigEndian(bytes.slice(front))];
  return signOf(bucketIn(fieldOf(buckets), cohort, answer), said >> 1) === (said & 1);
};

export const countMeanSketch: Randomizing = { randomizers: { 'count-mean-sketch': randomizeCountMeanSketch }, says: hasItsBit };
export const hadamardCountMeanSketch: Randomizing = {
  randomizers: { 'hadamard-count-mean-sketch': randomizeHadamardCountMeanSketch },
  says: hasItsSign,
};
