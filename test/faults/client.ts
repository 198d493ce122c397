/** The faults of a client, short and long. */

import { closings, reloads } from './client/closing.ts';
import { interleavings } from './client/interleavings.ts';
import type { Fault } from './fault.ts';

const freshSeed = (): number => Math.floor(Math.random() * 2 ** 31);

export const clientFaults: readonly Fault[] = [
  { name: 'interleavings', short: () => interleavings(2_000, 1), long: () => interleavings(25_000, freshSeed()) },
  { name: 'tabs closed at once', short: () => closings(4), long: () => closings(50) },
  { name: 'reloads while offline', short: () => reloads(1), long: () => reloads(10) },
];
