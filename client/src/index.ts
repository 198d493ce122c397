/** @module Local-differential-privacy telemetry for apps: every answer is randomized on the device. */

export {
  type Ask,
  type Budget,
  defineSchema,
  expertRappor as rappor,
  type JointValue,
  type Permanence,
  type RapporParameters,
  type Schema,
  type SchemaDocument,
  type ValueOf,
} from '@murmuration/shared';
export type { Clock, Lifecycle } from './adapters/lifecycle.ts';
export { memoryStorage, type Storage, webStorage } from './adapters/storage.ts';
export { type Delivery, fetchTransport, type Transport, type Upload } from './adapters/transport.ts';
export { best } from './best.ts';
export { choices } from './choices.ts';
export { hadamard, projective } from './designs.ts';
export { type DistributionMechanism, distribution, hierarchical } from './distribution.ts';
export { localHashing, stringHashing } from './local-hashing.ts';
export { duchi, hybrid, laplace, piecewise } from './means.ts';
export { dBitFlip, unary } from './mechanisms.ts';
export { type CountMechanism, count, geometric, histogram, type MeanMechanism, mean } from './numbers.ts';
export {
  choice,
  type DeviceQuestion,
  type DeviceQuestions,
  flag,
  joint,
  type ListMechanism,
  permanent,
  type TextMechanism,
  text,
} from './questions.ts';
export type { Rng } from './random/coins.ts';
export { countMeanSketch, hadamardCountMeanSketch } from './sketches.ts';
export { createTelemetry } from './telemetry.ts';
export type { Consent, Options, Outcome, Telemetry } from './types.ts';
export type { LedgerView, Preview } from './view.ts';
