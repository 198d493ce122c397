/**
 * @module Mechanisms for experts: what a question can name where the library shall not choose. Each carries its law and its
 * randomizers, so a bundle holds those that an app imports, and no others.
 */

export { expertRappor as rappor, type RapporParameters } from '@murmuration/shared';
export type { CountMechanism } from '../questions/count.ts';
export type { DistributionMechanism } from '../questions/distribution.ts';
export type { MeanMechanism } from '../questions/mean.ts';
export type { ListMechanism, TextMechanism } from '../questions/question.ts';
export { hadamard, projective } from './designs.ts';
export { localHashing, stringHashing } from './local-hashing.ts';
export { duchi, geometric, hierarchical, hybrid, laplace, piecewise, squareWave } from './numbers.ts';
export { countMeanSketch, hadamardCountMeanSketch } from './sketches.ts';
export { dBitFlip, unary } from './unary.ts';
