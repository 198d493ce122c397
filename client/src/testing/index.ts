/** @module Helpers for testing an app with telemetry. Nothing here belongs in an app. */

export { words } from '@murmuration/shared';
export { createCoins } from '../random/coins.ts';
export { type FakeClock, fakeClock } from './clock.ts';
export type { Test } from './expect.ts';
export { type Ending, testLifecycle } from './lifecycle.ts';
export { seededRng } from './seeded.ts';
export { type StorageTraits, testStorage } from './storage.ts';
export {
  assertAnswered,
  assertRecorded,
  type MemoryTransport,
  memoryTransport,
  type Recorded,
  type Recording,
  recording,
} from './transport.ts';
export { type Received, type TransportServer, testTransport } from './transport-suite.ts';
