/** What reads of a year's data take, and what open dashboards cost those who report. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, quantile } from '../../kit/quantile.ts';
import { openLoop } from '../ingest/load.ts';
import { withFolder } from '../ingest/process.ts';
import { requests } from '../ingest/requests.ts';
import { schema } from '../ingest/schema.ts';
import type { Line } from '../lines.ts';
import { openDashboards, type Service, serve, storeSize } from './process.ts';
import { CANDIDATES, fillYear } from './year.ts';

const DASHBOARDS = 8;
/** Honest batches a second, and their connections. */
const RATE = 200;
const CONNECTIONS = 64;
const REPEATED = 5;

/** Milliseconds until an answer is read. @throws {Error} when it is a refusal */
async function time(url: string): Promise<number> {
  const from = performance.now();
  const response = await fetch(url);
  const body = await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url}: expected an answer, got ${response.status} ${Buffer.from(body)}`);
  return performance.now() - from;
}

async function times(count: number, url: (i: number) => string): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) all.push(await time(url(i)));
  return median(all);
}

async function readLines({ url }: Service): Promise<readonly Line[]> {
  await time(`${url}/v1/metrics/plan/estimates`); // the thread has started
  const bare = await times(REPEATED, () => `${url}/livez`);
  const list = await times(REPEATED, () => `${url}/v1/metrics`);
  const first = await times(1, () => `${url}/v1/metrics/search/series?interval=day&limit=100000`);
  const lines: Line[] = [
    { what: 'GET /livez', measured: bare, unit: 'ms' },
    { what: 'GET /v1/metrics', measured: list, unit: 'ms', target: { atMost: 20 } },
    { what: 'series by day: search, the first after a start', measured: first, unit: 'ms' },
  ];
  for (const interval of ['day', 'week', 'month']) {
    let [slowest, name] = [0, ''];
    for (const metric of Object.keys(schema.document.metrics)) {
      // Another number of answers to follow is another question, so no answer comes from the cache.
      const took = await times(3, (i) => `${url}/v1/metrics/${metric}/series?interval=${interval}&top=${10 + i}&limit=100000`);
      if (took > slowest) [slowest, name] = [took, metric];
    }
    lines.push({ what: `slowest series by ${interval}: ${name}`, measured: slowest, unit: 'ms', target: { atMost: 300 } });
  }
  return lines;
}

/** Interleaved rounds, with and without dashboards. */
async function dashboardLines({ url, port, cpu }: Service, seconds: number, rounds: number): Promise<readonly Line[]> {
  const next = await requests(10); // so that every metric changes, and every dashboard asks for all of them again
  const p99 = async (): Promise<number> => quantile((await openLoop(port, CONNECTIONS, next, seconds, RATE)).latencies, 0.99);
  await p99();
  const [without, beside, cpuWithout, cpuBeside]: [number[], number[], number[], number[]] = [[], [], [], []];
  const counted = async (into: number[], used: number[]): Promise<void> => {
    const before = cpu();
    into.push(await p99());
    used.push((cpu() - before) / seconds);
  };
  let [answered, failed] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    await counted(without, cpuWithout);
    const close = await openDashboards(url, DASHBOARDS);
    await counted(beside, cpuBeside);
    const seen = await close();
    answered += seen.answered;
    failed += seen.failed;
  }
  const [own, open] = [median(without), median(beside)];
  return [
    { what: `ingest p99 of ${RATE} batches a second`, measured: own, unit: 'ms' },
    { what: `the same with ${DASHBOARDS} dashboards open`, measured: open, unit: 'ms' },
    { what: 'the same, of its own', measured: open / own, unit: 'times', target: { atMost: 1.3 } },
    { what: 'estimates that the dashboards got', measured: answered, unit: '', target: { atLeast: 1 } },
    { what: 'requests of theirs that failed', measured: failed, unit: '', target: { atMost: 0 } },
    { what: 'CPU of the collector without and', measured: median(cpuWithout), unit: 'of one' },
    { what: 'with dashboards', measured: median(cpuBeside), unit: 'of one' },
  ];
}

/** A year of data, reads of it, starts on it, and dashboards beside ingest. */
export async function readsLines(options: {
  readonly days: number;
  readonly devices: number;
  readonly seconds: number;
  readonly repeats: number;
}): Promise<readonly Line[]> {
  return withFolder(async (folder) => {
    const from = performance.now();
    await fillYear(folder, options.days, options.devices);
    const filled = (performance.now() - from) / 1_000;
    const candidates = join(folder, 'words.txt');
    writeFileSync(candidates, CANDIDATES.join('\n'));
    const start = (): Promise<Service> => serve(folder, schema.document, ['--candidates', `search=${candidates}`]);
    const starts: number[] = [];
    for (let i = 0; i < options.repeats; i++) {
      const service = await start();
      starts.push(service.startSeconds);
      await service.stop();
    }
    const service = await start();
    try {
      return [
        { what: `${options.days} days of ${options.devices} devices: store`, measured: storeSize(folder), unit: 'MiB' },
        { what: 'written in', measured: filled, unit: 's' },
        { what: `start of serve on it, the middle of ${options.repeats}`, measured: median(starts), unit: 's', target: { atMost: 1 } },
        ...(await readLines(service)),
        ...(await dashboardLines(service, options.seconds / 4, options.repeats)),
      ];
    } finally {
      await service.stop();
    }
  });
}
