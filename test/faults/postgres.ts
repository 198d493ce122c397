/** The fault tests of collectors on PostgreSQL, short and long. */

import type { Fault } from './fault.ts';
import { noMount } from './full.ts';
import { fullDatabase } from './postgres/full.ts';
import { collectorKills, holds, serverKills } from './postgres/kills.ts';
import { cuts, folds, sameBatch } from './postgres/races.ts';

/** Longer than any time limit of a collector or of its transactions. */
const LONGEST = 20;

export const postgresFaults: readonly Fault[] = [
  { name: 'kill -9 of a collector', beside: 2, short: () => collectorKills(1), long: () => collectorKills(30) },
  { name: 'kill -9 of the postmaster', beside: 2, short: () => serverKills(1, 'SIGKILL'), long: () => serverKills(20, 'SIGKILL') },
  { name: 'pg_ctl stop -m immediate', beside: 2, short: () => serverKills(1, 'SIGQUIT'), long: () => serverKills(20, 'SIGQUIT') },
  { name: 'connection cut at COMMIT', beside: 1, short: () => cuts(4), long: () => cuts(200) },
  { name: 'SIGSTOP for longer than the time limits', beside: 1, short: () => holds(1), long: () => holds(LONGEST) },
  { name: 'one batch to four collectors at once', beside: 1, short: () => sameBatch(50), long: () => sameBatch(1_000) },
  { name: 'folds in four collectors at once', beside: 1, short: () => folds(400), long: () => folds(20_000) },
  { name: 'database full, then freed', beside: 0.5, unable: noMount, short: () => fullDatabase(500), long: () => fullDatabase(10_000) },
];
