/** What a stranger's valid batches do to the store and to honest devices, who send beside them, before and after. */

import { median, quantile } from '../../kit/quantile.ts';
import { closedLoop, type Load, openLoop } from '../ingest/load.ts';
import { withFolder } from '../ingest/process.ts';
import type { Line } from '../lines.ts';
import { attacked, honest } from './batches.ts';
import { attack, type Service, serve, storeSize } from './process.ts';

/** Honest batches a second, and their connections. */
const RATE = 100;
const CONNECTIONS = 64;

/** Seconds of a part. A disk that other tenants use stalls for tenths of a second now and then, which is the p99 of any part that has it. */
const PART = 5;

/** The honest load in parts, one after the other. */
async function ask(port: number, seconds: number): Promise<readonly Load[]> {
  const parts = Math.max(1, Math.round(seconds / PART));
  const loads: Load[] = [];
  for (let i = 0; i < parts; i++) loads.push(await openLoop(port, CONNECTIONS, honest(), seconds / parts, RATE));
  return loads;
}

/** The p99 of the middle part. */
const p99Of = (loads: readonly Load[]): number => median(loads.map(({ latencies }) => quantile(latencies, 0.99)));

const refusedIn = (loads: readonly Load[]): number => loads.reduce((sum, { refused }) => sum + refused, 0);

interface Way {
  readonly name: string;
  /** Reports of a batch. */
  readonly reports: number;
  /** Batches a second; as many as are answered when left out. */
  readonly pace?: number;
  readonly options: readonly string[];
  /** Whether honest latency and the store have an aim. */
  readonly isJudged: boolean;
}

/** An operator may allow repeats, and then a batch opens as many rows as it has reports. */
const REPEATS = ['--per-metric', '1000'];

/** The pace of 25 batches a second is that of the attack which first filled a store. */
const WAYS: readonly Way[] = [
  { name: 'one report a batch, as fast as answered', reports: 1, options: [], isJudged: true },
  { name: '1,000 reports a batch, as fast as refused', reports: 1_000, options: [], isJudged: true },
  { name: '1,000 reports a batch with --per-metric 1000, 25 a second', reports: 1_000, pace: 25, options: REPEATS, isJudged: true },
  { name: 'the same, as fast as answered', reports: 1_000, options: REPEATS, isJudged: false },
];

async function linesOf(
  { name, reports, pace, options, isJudged }: Way,
  service: Service,
  folder: string,
  seconds: number,
): Promise<readonly Line[]> {
  await closedLoop(service.port, 8, honest(), Math.min(3, seconds)); // warms up
  const baseline = await ask(service.port, seconds / 2);
  const before = storeSize(folder);
  const [{ acknowledged, refused }, during] = await Promise.all([
    attack({ port: service.port, seconds, connections: 16, reports, ...(pace && { pace }) }),
    ask(service.port, seconds),
  ]);
  const after = await ask(service.port, Math.min(10, seconds));
  const [own, under] = [p99Of(baseline), p99Of(during)];
  const isTaken = reports === 1 || options.length > 0;
  return [
    { what: `attack: ${name}`, measured: acknowledged * reports, unit: 'counted' },
    ...(isTaken ? [] : [{ what: '  its batches that were refused', measured: refused, unit: '', target: { atLeast: 1 } }]),
    { what: '  store before', measured: before, unit: 'MiB' },
    { what: '  store at the end', measured: storeSize(folder), unit: 'MiB', ...(isJudged && { target: { atMost: 200 } }) },
    { what: '  honest p99 without, in the middle part of 5 s', measured: own, unit: 'ms' },
    { what: '  honest p99 beside it, in the middle part', measured: under, unit: 'ms' },
    { what: '  the same, of its own', measured: under / own, unit: 'times', ...(isJudged && { target: { atMost: 5 } }) },
    { what: '  honest batches refused during it', measured: refusedIn(during), unit: '' },
    { what: '  honest batches refused after it', measured: refusedIn(after), unit: '', target: { atMost: 0 } },
    { what: '  honest p99 after it', measured: p99Of(after), unit: 'ms' },
  ];
}

/** Each way for so many seconds. */
export async function attackLines({ seconds }: { readonly seconds: number }): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const way of WAYS) {
    await withFolder(async (folder) => {
      const service = await serve(folder, attacked.document, way.options);
      try {
        lines.push(...(await linesOf(way, service, folder, seconds)));
      } finally {
        await service.stop();
      }
      lines.push({ what: '  store after a stop', measured: storeSize(folder), unit: 'MiB' });
    });
  }
  return lines;
}
