/** @module Local-differential-privacy telemetry for apps: every answer is randomized on the device. */

export type {
  Ask,
  Budget,
  JointValue,
  Permanence,
  Rng,
  SchemaDocument,
  ValueOf,
} from '@murmuration/shared';
export type { Clock, Lifecycle } from './adapters/lifecycle.ts';
export { memoryStorage, type Spill, type Storage, type Updated } from './adapters/storage.ts';
export { type Delivery, fetchTransport, type Transport, type Upload } from './adapters/transport.ts';
export { webStorage } from './adapters/web-storage.ts';
export { answersOf } from './answers.ts';
export { longList } from './long-list.ts';
export * from './questions/index.ts';
export { permanent } from './questions/permanent.ts';
export type { DeviceQuestion, DeviceQuestions, Schema } from './questions/question.ts';
export { defineSchema } from './schema.ts';
export { createTelemetry } from './telemetry.ts';
export type { Consent, Options, Outcome, Telemetry } from './types.ts';
export { type LedgerView, type Look, ledger, type Preview, preview } from './view.ts';
