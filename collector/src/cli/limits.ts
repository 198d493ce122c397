/** The limits of `murmuration serve`: memory, disk and time. Bytes are in MiB and times in seconds, because people type them. */

import type { Command } from 'commander';
import { wholeOption } from '../base/usage.ts';
import { MOST_ARRIVING } from '../ingest/body.ts';
import { LEAST_FREE, MOST_QUEUED } from '../ingest/capacity.ts';
import { TIMEOUTS } from '../server/http/server.ts';
import type { CollectorOptions } from '../server/options.ts';
import { MOST_SPILL } from '../storage/postgres/backend.ts';
import { QUOTA_LIMITS } from '../storage/quota.ts';
import { RETENTION } from '../storage/retention.ts';

const MIB = 2 ** 20;
const SECOND = 1_000;
const MOST_MIB = 2 ** 20;
const DAY = 86_400;
const MOST_DAYS = 100_000;
/** The shortest retention: batches and ids of the last two weeks must not be touched. */
export const LEAST_DAYS = 31;

/** The options of `addLimits`. */
export interface LimitOptions {
  readonly mostQueued: number;
  readonly mostArriving: number;
  readonly leastFree: number;
  readonly mostSpill: number;
  readonly mostRows: number;
  readonly mostBytes: number;
  readonly mostIds: number;
  readonly dailyFor: number;
  readonly keepFor?: number;
  readonly headerTimeout: number;
  readonly requestTimeout: number;
  readonly keepAlive: number;
}

export function addLimits(command: Command): void {
  const whole = (flags: string, about: string, least: number, most: number, standard: number): void => {
    const [name = ''] = flags.split(' ');
    command.option(flags, about, wholeOption(name, least, most), standard);
  };
  whole('--most-queued <MiB>', 'memory of requests that wait for their commit', 1, MOST_MIB, MOST_QUEUED / MIB);
  whole('--most-arriving <MiB>', 'memory of bodies that have arrived in part', 1, MOST_MIB, MOST_ARRIVING / MIB);
  whole('--least-free <MiB>', 'room on the disk that stays free', 0, MOST_MIB, LEAST_FREE / MIB);
  whole('--most-spill <MiB>', 'bytes of batches in the folder of --spill', 1, MOST_MIB, MOST_SPILL / MIB);
  whole('--most-rows <n>', 'rows that an app may open in the store for one day', 1, Number.MAX_SAFE_INTEGER, QUOTA_LIMITS.mostRows);
  whole('--most-bytes <MiB>', 'bytes of an app in the store', 1, MOST_MIB, QUOTA_LIMITS.mostBytes / MIB);
  whole('--most-ids <n>', 'ids of batches of all apps, in memory at 12 to 24 bytes each', 1, 2 ** 30, QUOTA_LIMITS.mostIds);
  whole('--daily-for <days>', 'days after which tallies are added up to months', LEAST_DAYS, MOST_DAYS, RETENTION.dailyFor);
  const keepFor = wholeOption('--keep-for', LEAST_DAYS, MOST_DAYS);
  command.option('--keep-for <days>', 'days after which tallies are deleted (default: never)', keepFor);
  whole('--header-timeout <s>', 'time for the headers of a request', 1, DAY, TIMEOUTS.headers / SECOND);
  whole('--request-timeout <s>', 'time for a whole request', 1, DAY, TIMEOUTS.request / SECOND);
  whole(
    '--keep-alive <s>',
    'time between two requests of a connection; behind a proxy, longer than the proxy keeps its idle connections',
    1,
    DAY,
    TIMEOUTS.idle / SECOND,
  );
}

/** The limits as the collector takes them. */
export const limitsOf = ({
  mostQueued,
  mostArriving,
  leastFree,
  mostSpill,
  mostRows,
  mostBytes,
  mostIds,
  dailyFor,
  keepFor,
  headerTimeout,
  requestTimeout,
  keepAlive,
}: LimitOptions): Required<
  Pick<CollectorOptions, 'mostQueued' | 'mostArriving' | 'leastFree' | 'mostSpill' | 'room' | 'retention' | 'timeouts'>
> => ({
  mostQueued: mostQueued * MIB,
  mostArriving: mostArriving * MIB,
  leastFree: leastFree * MIB,
  mostSpill: mostSpill * MIB,
  room: { mostRows, mostBytes: mostBytes * MIB, mostIds },
  retention: { dailyFor, ...(keepFor !== undefined && { keepFor }) },
  timeouts: { ...TIMEOUTS, headers: headerTimeout * SECOND, request: requestTimeout * SECOND, idle: keepAlive * SECOND },
});
