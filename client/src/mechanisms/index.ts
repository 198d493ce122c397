/**
 * @module Mechanisms for experts, which a question can name instead of leaving the choice to the library. Each carries its law and its
 * randomizers, so a bundle contains only those that an app imports.
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
