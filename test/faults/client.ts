/** The client's fault tests, short and long. */

import { interleavings } from './client/interleavings.ts';
import type { Fault } from './fault.ts';

const freshSeed = (): number => Math.floor(Math.random() * 2 ** 31);

export const clientFaults: readonly Fault[] = [
  { name: 'interleavings', short: () => interleavings(300, 1), long: () => interleavings(25_000, freshSeed()) },
];
