/** The client's fault tests, short and long. */

import { coupling } from './client/coupling.ts';
import { interleavings } from './client/interleavings.ts';
import { relayedInterleaving } from './client/steps.ts';
import type { Fault } from './fault.ts';

const freshSeed = (): number => Math.floor(Math.random() * 2 ** 31);

export const clientFaults: readonly Fault[] = [
  { name: 'coupling', beside: 30, short: () => coupling(150, 1), long: () => coupling(20_000, freshSeed()) },
  {
    name: 'coupling through a relay',
    beside: 30,
    short: () => coupling(3, 1, true),
    long: () => coupling(10_000, freshSeed(), true),
  },
  { name: 'interleavings', beside: 40, short: () => interleavings(75, 1), long: () => interleavings(25_000, freshSeed()) },
  {
    name: 'interleavings through a relay',
    beside: 40,
    short: () => interleavings(12, 1, relayedInterleaving),
    long: () => interleavings(1_500, freshSeed(), relayedInterleaving),
  },
];
