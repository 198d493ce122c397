/** @module What tests of an app with telemetry need: nothing here belongs in an app. */

export { createCoins, words } from '../random/coins.ts';
export { seededRng } from './seeded.ts';
