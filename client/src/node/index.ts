/** @module For Node programs: a folder as storage, a lifecycle that leaves the process alone, and a clock. */

export { fileStorage } from './file.ts';
export { nodeClock, nodeLifecycle } from './process.ts';
