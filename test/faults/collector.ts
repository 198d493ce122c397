/** The collector's fault tests, short and long. */

import { crowd, noCrowd } from './crowd.ts';
import { drains } from './drain.ts';
import type { LongFault, ShortFault } from './fault.ts';
import { fullDisk, noMount, refusedSyncs, refusedWrites, startOnFullDisk } from './full.ts';
import { fuzz } from './fuzz.ts';
import { kills } from './kill.ts';
import { overload } from './overload.ts';
import { noRecord, powerLosses } from './power.ts';
import { slowClients } from './slow.ts';
import { earlyLeavers, locksRemoved } from './strangers.ts';
import { clockJumps, replays } from './time.ts';
import { traces } from './traces.ts';

const notLinux = (): string | undefined => (process.platform === 'linux' ? undefined : 'it reads /proc, which Linux has');

/** The rate of an overload needs the machine, so that row has no short run. */
export const collectorFaults: readonly (LongFault & Partial<ShortFault>)[] = [
  { name: 'kill -9 under load', beside: 3, short: () => kills(2), long: () => kills(100) },
  { name: 'power loss', beside: 2, unable: noRecord, short: () => powerLosses(150, 5, true), long: () => powerLosses(4_000, 400) },
  { name: 'disk full, then freed', beside: 0.5, unable: noMount, short: () => fullDisk(500), long: () => fullDisk(10_000) },
  { name: 'start on a full disk', beside: 0.2, unable: noMount, short: startOnFullDisk, long: startOnFullDisk },
  { name: 'writes fail', beside: 0.5, unable: noRecord, short: () => refusedWrites(500), long: () => refusedWrites(10_000) },
  { name: 'syncs fail', beside: 0.5, unable: noRecord, short: () => refusedSyncs(500), long: () => refusedSyncs(10_000) },
  {
    name: 'slow and idle clients',
    unable: notLinux,
    short: () => slowClients(20, 500, 1_000),
    long: () => slowClients(500, 10_000, 50_000, 120),
  },
  {
    name: '3 times overload',
    unable: notLinux,
    long: () => overload({ bytesPerSecond: 150_000, clients: 1_024, connections: 6_000, seconds: 20, least: 0.9 }),
  },
  { name: 'a crowd at once', unable: noCrowd, short: () => crowd(1_000), long: () => crowd(4_000) },
  { name: 'SIGTERM under load', beside: 1, short: () => drains(1), long: () => drains(20) },
  { name: 'lock removed, and a second collector', beside: 1, short: () => locksRemoved(1), long: () => locksRemoved(20) },
  { name: 'senders who leave early', beside: 1, unable: notLinux, short: () => earlyLeavers(5), long: () => earlyLeavers(200) },
  { name: 'clock jumps', beside: 0.5, short: clockJumps, long: clockJumps },
  { name: 'replays and conflicts', beside: 0.5, short: () => replays(300), long: () => replays(1_000) },
  { name: 'fuzzing', beside: 9, unable: notLinux, short: () => fuzz(4_000, 1), long: () => fuzz(1_000_000, 2) },
  { name: 'traces of people', beside: 10, unable: notLinux, short: () => traces(1), long: () => traces(600) },
];
