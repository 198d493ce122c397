/** @module Local-differential-privacy telemetry for apps: every answer is randomized on the device. */

export {
  type Ask,
  type Budget,
  defineSchema,
  type JointValue,
  type Permanence,
  type Schema,
  type SchemaDocument,
  type ValueOf,
} from '@murmuration/shared';
export type { Clock, Lifecycle } from './adapters/lifecycle.ts';
export { memoryStorage, type Spill, type Storage, type Updated } from './adapters/storage.ts';
export { type Delivery, fetchTransport, type Transport, type Upload } from './adapters/transport.ts';
export { webStorage } from './adapters/web-storage.ts';
export { answersOf } from './answers.ts';
export { best } from './best.ts';
export { choices } from './choices.ts';
export { distribution } from './distribution.ts';
export { longList } from './long-list.ts';
export { count, histogram, mean } from './numbers.ts';
export {
  choice,
  type DeviceQuestion,
  type DeviceQuestions,
  flag,
  joint,
  permanent,
  text,
} from './questions.ts';
export type { Rng } from './random/coins.ts';
export { createTelemetry } from './telemetry.ts';
export type { Consent, Options, Outcome, Telemetry } from './types.ts';
export { type LedgerView, type Look, ledger, type Preview, preview } from './view.ts';
