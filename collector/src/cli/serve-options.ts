/** The options of `serve` for access and for limits. */

import { ACCEPTED_DAYS, type SchemaDocument } from '@murmuration/shared';
import type { Command } from 'commander';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { DAY_MS } from '../base/days.ts';
import { Failure, UsageError } from '../base/fault.ts';
import { count } from '../base/numbers.ts';
import { choiceOption, wholeOption } from '../base/usage.ts';
import { MOST_ARRIVING } from '../ingest/body.ts';
import { LEAST_FREE, MOST_QUEUED } from '../ingest/capacity.ts';
import type { Collector } from '../server/collector.ts';
import { TIMEOUTS } from '../server/http/server.ts';
import type { CollectorOptions } from '../server/options.ts';
import { type Administration, warnWithoutKey } from '../storage/admin/administration.ts';
import { ROLES, type Role } from '../storage/admin/credentials.ts';
import { MOST_SPILL } from '../storage/postgres/backend.ts';
import { QUOTA_LIMITS } from '../storage/quota.ts';
import { RETENTION } from '../storage/retention.ts';
import type { StoreSizes } from '../storage/store.ts';

/** Values of the options. */
export interface AccessFlags {
  readonly host: string;
  readonly open?: boolean;
  readonly trustProxy?: string[];
  readonly authHeader?: string;
  readonly authRole?: Role | 'none';
  readonly allowHost?: string[];
  readonly frameAncestors?: string[];
  readonly readPort?: number;
  readonly readHost?: string;
}

/** A header that a proxy sets for itself. Those with which requests come anyway name nobody. */
const HEADER = /^(?!(authorization|cookie|host|referer|user-agent|x-forwarded-(for|host|proto|port))$)[a-z0-9_-]+$/i;

/** A site, or all: what CSP's `frame-ancestors` takes and can't end its directive. */
const SITE = /^(\*|https?:\/\/(\*\.)?[a-z0-9.-]+(:\d+)?)$/i;

/** The groups of addresses that Express knows by name. */
const GROUPS = ['loopback', 'linklocal', 'uniquelocal'];

/** True if a text is an address in its usual form. The library also takes a bare number, which here would be a mistake. */
const isAddress = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

const isLoopback = (host: string): boolean => host === 'localhost' || (isAddress(host) && ipaddr.process(host).range() === 'loopback');

/** Parses `--trust-proxy`: the number of proxies in front, or their addresses. */
function proxiesOf(texts: readonly string[]): number | readonly string[] {
  const [first = ''] = texts;
  if (texts.length === 1 && /^[1-9]$/.test(first)) return Number(first);
  const odd = texts.find((text) => !GROUPS.includes(text) && !isAddress(text) && !ipaddr.isValidCIDR(text));
  if (odd !== undefined)
    throw new UsageError(
      `--trust-proxy: expected a number from 1 to 9, or addresses such as 10.0.0.0/8 or loopback, got ${JSON.stringify(odd)}`,
    );
  return texts;
}

/**
 * The collector's options of access.
 *
 * @throws {UsageError} when they contradict each other
 */
export function accessOf(flags: AccessFlags): Pick<CollectorOptions, 'open' | 'access' | 'readsApart'> {
  const { host, open = false, authHeader, authRole, allowHost = [], frameAncestors = [], readPort, readHost } = flags;
  const trustProxy = flags.trustProxy && proxiesOf(flags.trustProxy);
  const stranger = [host, ...(readHost === undefined ? [] : [readHost])].find((each) => !isLoopback(each));
  if (open && stranger !== undefined)
    throw new UsageError(`--open: expected a --host that only this machine reaches, such as 127.0.0.1, got ${stranger}`);
  if (open && authHeader !== undefined) throw new UsageError('--open: expected no --auth-header, since nobody signs in, got both');
  if (open && trustProxy !== undefined)
    throw new UsageError(
      `--open: expected no --trust-proxy, since everybody whom the proxy lets in could read and send without a token or a key, got ${[trustProxy].flat().join(' ')}`,
    );
  if (authHeader !== undefined && !HEADER.test(authHeader))
    throw new UsageError(`--auth-header: expected the name of a header, such as X-Remote-User, got ${JSON.stringify(authHeader)}`);
  if (authHeader !== undefined && !Array.isArray(trustProxy))
    throw new UsageError(
      '--auth-header: expected --trust-proxy with the addresses of the proxy, since anybody else could send the header, got none',
    );
  if (authRole !== undefined && authHeader === undefined) throw new UsageError('--auth-role: expected --auth-header with it, got none');
  const frame = frameAncestors.find((source) => !SITE.test(source));
  if (frame !== undefined)
    throw new UsageError(`--frame-ancestors: expected sites such as https://blog.example, or *, got ${JSON.stringify(frame)}`);
  if (readHost !== undefined && readPort === undefined) throw new UsageError('--read-host: expected --read-port with it, got none');
  return {
    open,
    readsApart: readPort !== undefined,
    access: {
      allowHosts: allowHost,
      ...(frameAncestors.length > 0 && { frameAncestors }),
      ...(trustProxy !== undefined && { trustProxy }),
      ...(authHeader !== undefined && { authHeader }),
      ...(authRole !== undefined && { authRole }),
    },
  };
}

/** Listens for reads if they have a port of their own, and says where. */
export async function listenForReads(collector: Collector, { host, readPort, readHost = host }: AccessFlags): Promise<string> {
  if (readPort === undefined) return '';
  const address = await collector.listenForReads(readPort, readHost).catch(async (error: Error) => {
    await collector.close();
    throw new Failure(
      `--read-host ${readHost} --read-port ${readPort}: expected an address and a port that are free, got ${error.message}`,
    );
  });
  return `, and for reads on ${address}`;
}

/**
 * Says who gets in: the first admin token once, what an open collector is, and in the log which apps have no key yet.
 *
 * @param place the option that names the store, as in `--data ./data`
 */
export async function accessHint(
  admin: Administration,
  { open }: AccessFlags,
  schemas: readonly SchemaDocument[],
  place: string,
  log: Logger,
): Promise<string> {
  if (open) return 'Open: reads need no token and batches no key. Only this machine reaches it.\n';
  await admin.announceFirst((token) =>
    process.stderr.write(
      `The admin token, shown this once: ${token}\nSign in to the dashboard with it; murmuration keys makes others for people and programs.\n`,
    ),
  );
  const apps = schemas.map(({ app }) => app);
  warnWithoutKey(admin, apps, place, log);
  return '';
}

/** Adds the options to `serve`. */
export function addAccessOptions(command: Command): void {
  command
    .option('--open', 'reads need no token and batches no key; only with a --host that nobody else reaches, and without a proxy')
    .option('--trust-proxy <n|address...>', 'the proxies in front, by number or by address, whose X-Forwarded-* headers are believed')
    .option('--auth-header <name>', 'the header in which the proxy names a user who signed in there')
    .option(
      '--auth-role <role>',
      `what such users may read without an entry in murmuration roles: ${ROLES.join(', ')}, or none (default: viewer)`,
      choiceOption('--auth-role', [...ROLES, 'none']),
    )
    .option('--allow-host <name...>', 'names under which readers reach this collector, such as t.example.com')
    .option('--frame-ancestors <site...>', 'sites whose pages may show published questions in a frame, such as https://blog.example')
    .option('--read-port <n>', 'a port of its own for reads and the dashboard', wholeOption('--read-port', 0, 65_535))
    .option('--read-host <host>', 'the address of that port (default: --host)');
}

// The limits of `murmuration serve`: memory, disk and time. Bytes are in MiB and times in seconds, because people type them.

const MIB = 2 ** 20;
const SECOND = 1_000;
const MOST_MIB = 2 ** 20;
const DAY = DAY_MS / 1_000;
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
  readonly mostIds?: number;
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
  command.option(
    '--most-ids <n>',
    'ids of batches of all apps, in memory at 11 to 22 bytes each (default: what half of the memory holds; with --postgres, what its disk holds)',
    wholeOption('--most-ids', 1),
  );
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
  room: { mostRows, mostBytes: mostBytes * MIB, ...(mostIds !== undefined && { mostIds }) },
  retention: { dailyFor, ...(keepFor !== undefined && { keepFor }) },
  timeouts: { ...TIMEOUTS, headers: headerTimeout * SECOND, request: requestTimeout * SECOND, idle: keepAlive * SECOND },
});

/** Days for which ids are kept: those whose batches are taken, and the two after which a day is closed. */
const KEPT = ACCEPTED_DAYS.before + ACCEPTED_DAYS.after + 2;

/** How many batches a store has room for, in words; undefined where no number bounds them. */
export function roomWords({ mostIds, idsADay = 0 }: Pick<StoreSizes, 'mostIds' | 'idsADay'> = {}): string | undefined {
  if (mostIds === undefined) return undefined;
  const most = `room for ${count(mostIds)} ids of batches, which are kept for ${KEPT} days: at most ${count(Math.floor(mostIds / KEPT))} batches a day`;
  if (idsADay === 0) return most;
  return `${most}. The busiest day has ${count(idsADay)}; at this rate, there is room for about ${count(Math.floor(mostIds / idsADay))} days`;
}
