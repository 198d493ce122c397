/** @module For Node programs: storage in a folder, a lifecycle that does not affect the process, and a clock. */

export { fileStorage } from './file.ts';
export { nodeClock, nodeLifecycle } from './process.ts';
