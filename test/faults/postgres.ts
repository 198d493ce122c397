/** The fault tests of collectors on PostgreSQL, short and long. */

import type { LongFault, ShortFault } from './fault.ts';
import { noMount } from './full.ts';
import { composeFailovers } from './postgres/compose-failover.ts';
import { failovers } from './postgres/failover.ts';
import { fullDatabase } from './postgres/full.ts';
import { collectorKills, holds, serverKills } from './postgres/kills.ts';
import { movesKilled } from './postgres/migrate.ts';
import { noNamespace, partitions } from './postgres/partition.ts';
import { cuts, folds, sameBatch } from './postgres/races.ts';
import { idsOfDays } from './postgres/same-id.ts';
import { spills } from './postgres/spill.ts';
import { stuckStandby } from './postgres/stuck.ts';

/** Longer than any time limit of a collector or of its transactions. */
const LONGEST = 20;

export const postgresFaults: readonly LongFault[] = [
  { name: 'kill -9 of a collector', beside: 2, long: () => collectorKills(30) },
  { name: 'kill -9 of the postmaster', beside: 2, long: () => serverKills(20, 'SIGKILL') },
  { name: 'pg_ctl stop -m immediate', beside: 2, long: () => serverKills(20, 'SIGQUIT') },
  { name: 'promotion of a synchronous standby', beside: 1, long: () => failovers(5) },
  { name: 'the compose file, its primary killed', beside: 1.5, long: () => composeFailovers(4) },
  { name: 'a standby that never confirms', beside: 1, long: () => stuckStandby(LONGEST) },
  { name: 'connection cut at COMMIT', beside: 1, long: () => cuts(200) },
  { name: 'SIGSTOP for longer than the time limits', beside: 1, long: () => holds(LONGEST) },
  {
    name: 'the network between a collector and the database broken',
    beside: 1,
    unable: noNamespace,
    long: () => partitions([2, 8, LONGEST]),
  },
  { name: 'one batch to four collectors at once', beside: 1, long: () => sameBatch(1_000) },
  { name: 'one id on two days, and kill -9', beside: 1, long: () => idsOfDays(10) },
  { name: 'folds in four collectors at once', beside: 1, long: () => folds(20_000) },
  { name: 'kill -9 of migrate', beside: 1, long: () => movesKilled(10) },
  { name: 'database away, with a spill, and kill -9', beside: 1, long: () => spills(10) },
  { name: 'database full, then freed', beside: 0.5, unable: noMount, long: () => fullDatabase(10_000) },
];

/** Those that no test of `test/collector/storage/postgres` has a part of, except the one that starts all parts of the compose file. */
export const shortPostgresFaults: readonly ShortFault[] = [
  { name: 'kill -9 of a collector', short: () => collectorKills(1) },
  { name: 'kill -9 of the postmaster', short: () => serverKills(1, 'SIGKILL') },
  { name: 'one id on two days, and kill -9', short: () => idsOfDays(1) },
  { name: 'folds in four collectors at once', short: () => folds(400) },
  { name: 'database full, then freed', unable: noMount, short: () => fullDatabase(500) },
];
