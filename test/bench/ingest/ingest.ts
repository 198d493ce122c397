/**
 * `npm run bench -- ingest [--pairs 30] [--seconds 1] [--rounds 7] [--connections 256] [--reports 10000000] [--ids 10000000] [--throughput]`:
 * durably acknowledged requests per CPU second of the server's process, all its threads, beside R, those of a bare node:http POST of the
 * same bytes in the slice of time before or after. `--throughput` ends after these ratios.
 */

import { parseArgs } from 'node:util';
import { median, quantile } from '../../kit/quantile.ts';
import { holds, type Line, rowOf } from '../lines.ts';
import { withStolen } from '../stolen.ts';
import { foldingGain, foldingSeconds } from './folding.ts';
import { closedLoop, openLoop } from './load.ts';
import { fillIds } from './many-ids.ts';
import { inPairs, type Load, type Pairs, ratioOf } from './pairs.ts';
import { type ServerProcess, startServer, withFolder } from './process.ts';
import { type BatchSize, batches, requests } from './requests.ts';

/** So many times the connections, where commits are slow: a closed loop waits for its commits, and a server that waits is not measured. */
const MORE = 4;

/** Runs that only warm up. */
const WARMING = 3;

const KINDS = ['bare', 'collector', 'slow', 'naive'] as const;
type Kind = (typeof KINDS)[number];

interface Options extends Load {
  readonly rounds: number;
  readonly reports: number;
  readonly ids: number;
}

/** Lines of a size of batches: the collector beside R, a collector whose commits are slow beside it, and the naive server beside R. */
async function ratioLines(
  servers: ReadonlyMap<Kind, ServerProcess>,
  size: BatchSize,
  options: Options,
): Promise<{ readonly lines: readonly Line[]; readonly cpuPerBatch: number; readonly perSecond: number }> {
  const next = await requests(size);
  const pair = (a: Kind, b: Kind, over: Partial<Load> = {}): Promise<Pairs> =>
    inPairs([servers.get(a) as ServerProcess, servers.get(b) as ServerProcess], next, { ...options, ...over });
  const few = { pairs: Math.ceil(options.pairs / 5) };
  const ours = await pair('bare', 'collector');
  const naive = await pair('bare', 'naive', few);
  const slow = await pair('collector', 'slow', { ...few, connections: MORE * options.connections });
  const name = `${size} ${size === 1 ? 'report' : 'reports'} a request`;
  const [least, aim] = size === 1 ? [0.48, 0.6] : [0.43, 0.55];
  const { middle, low, high } = ratioOf(ours.cpu);
  const slowed = `${name}: commits slowed by 5 ms, ${MORE * options.connections} connections`;
  return {
    lines: [
      { what: `${name}: R, bare node:http`, measured: median(ours.cpu[0]), unit: 'requests per CPU s' },
      { what: `${name}: durably acknowledged`, measured: median(ours.cpu[1]), unit: 'requests per CPU s' },
      { what: `${name}: of R, median of ${options.pairs} pairs (aim ${aim})`, measured: middle, unit: '' },
      { what: `${name}: its interval begins`, measured: low, unit: '' },
      { what: `${name}: its interval ends`, measured: high, unit: '', target: { atLeast: least } },
      { what: `${name}: naive server, of R`, measured: ratioOf(naive.cpu).middle, unit: '' },
      { what: `${slowed}, per CPU s`, measured: ratioOf(slow.cpu).middle, unit: 'of its own', target: { atLeast: 0.8 } },
      { what: `${slowed}, per second`, measured: ratioOf(slow.wall).middle, unit: 'of its own', target: { atLeast: 0.8 } },
    ],
    cpuPerBatch: 1 / median(ours.cpu[1]),
    perSecond: median(ours.wall[1]),
  };
}

/** What the parts after the first need of it. */
interface Throughput {
  readonly lines: readonly Line[];
  /** CPU seconds of a batch of ten reports. */
  readonly cpuPerBatch: number;
  /** Batches of one report. */
  readonly perSecond: number;
}

async function throughputLines(options: Options): Promise<Throughput> {
  return withFolder(async (folder) => {
    const servers = new Map<Kind, ServerProcess>();
    try {
      for (const kind of KINDS) servers.set(kind, await startServer(kind, `${folder}/${kind}`));
      const [one, ten] = [await ratioLines(servers, 1, options), await ratioLines(servers, 10, options)];
      return { lines: [...one.lines, ...ten.lines], cpuPerBatch: ten.cpuPerBatch, perSecond: one.perSecond };
    } finally {
      for (const server of servers.values()) await server.stop();
    }
  });
}

/** What a run of an open loop saw, in milliseconds. */
interface Waits {
  /** What a lone client waits: a commit's time. */
  readonly commit: number;
  readonly middle: number;
  readonly p99: number;
}

/** A run is calm when the hypervisor took no more of the CPUs than this, and is made up to so many times as often until enough were. */
const CALM = 0.01;
const PATIENCE = 5;

/** Runs of an open loop at half of what the closed one reached: the calmest, for what a hypervisor takes makes a wait of its own. */
async function latencyLines(perSecond: number, { connections, seconds, rounds }: Options): Promise<readonly Line[]> {
  return withFolder(async (folder) => {
    const server = await startServer('collector', folder);
    try {
      const next = await requests(1);
      const wait = async (): Promise<Waits> => {
        const alone = await openLoop(server.port, 1, next, 2 * seconds, 20);
        const { latencies } = await openLoop(server.port, connections, next, 2 * seconds, perSecond / 2);
        return { commit: median(alone.latencies), middle: median(latencies), p99: quantile(latencies, 0.99) };
      };
      for (let round = 0; round < WARMING; round++) await wait();
      const runs: (readonly [Waits, stolen: number])[] = [];
      const areCalm = (): number => runs.filter(([, stolen]) => stolen <= CALM).length;
      while (areCalm() < rounds && runs.length < PATIENCE * rounds) runs.push(await withStolen(wait));
      const calmest = runs.toSorted(([, a], [, b]) => a - b).slice(0, rounds);
      const of = (name: keyof Waits): readonly number[] => calmest.map(([waits]) => waits[name]);
      const commit = median(of('commit'));
      return [
        { what: 'a lone client waits', measured: commit, unit: 'ms' },
        { what: 'open loop at half load: median', measured: median(of('middle')), unit: 'ms' },
        { what: 'open loop at half load: p99', measured: median(of('p99')), unit: 'ms', target: { atMost: 4 * commit + 10 } },
        { what: 'the same, in the worst of these runs', measured: Math.max(...of('p99')), unit: 'ms' },
        { what: `runs, of which the ${rounds} calmest count`, measured: runs.length, unit: '' },
        {
          what: 'CPU that was stolen in one of these, at most',
          measured: 100 * Math.max(...calmest.map(([, stolen]) => stolen)),
          unit: '%',
        },
      ];
    } finally {
      await server.stop();
    }
  });
}

async function foldingLines(cpuPerBatch: number): Promise<readonly Line[]> {
  const count = 10_000; // a fold takes what a second of full load has brought, which is more
  const share = foldingSeconds(await batches(count)) / count / cpuPerBatch;
  return [
    { what: 'folding, from payload strings, of the CPU', measured: 100 * share, unit: '%', target: { atMost: 5 } },
    ...[100, 1_000].map((group) => ({
      what: `folding, 1,024 bits in groups of ${group}, over a loop over bits`,
      measured: foldingGain(group),
      unit: 'times',
      target: { atLeast: 30 },
    })),
  ];
}

/** Bytes of an id of a batch in memory, at most (storage/sqlite/ids.ts). Ids are kept for two weeks, so they may grow. */
const ID_BYTES = 22;

/**
 * Resident memory after each tenth of so many reports: the largest of the last five over the largest of the first five, each after a
 * collection. Without it the heap of the main thread holds up to 130 MiB that nobody uses, at times of its own choice.
 */
async function memoryLines(options: Options): Promise<readonly Line[]> {
  return withFolder(async (folder) => {
    const server = await startServer('collector', folder);
    try {
      const next = await requests(10);
      let [batches, largest] = [0, 0];
      const collected: number[] = [];
      for (let tenth = 1; tenth <= 10; tenth++) {
        do batches += (await closedLoop(server.port, options.connections, next, 1)).acknowledged;
        while (10 * batches < (tenth * options.reports) / 10);
        largest = Math.max(largest, (await server.usage()).residentBytes);
        collected.push((await server.collected()).residentBytes);
      }
      const [first, last] = [Math.max(...collected.slice(0, 5)), Math.max(...collected.slice(5))];
      return [
        { what: `resident memory over ${10 * batches} reports, largest`, measured: largest / 2 ** 20, unit: 'MiB' },
        { what: 'after collections, of its last five tenths', measured: last / 2 ** 20, unit: 'MiB' },
        { what: 'the same, of which ids of batches take at most', measured: (ID_BYTES * batches) / 2 ** 20, unit: 'MiB' },
        { what: 'the same, over that of the first five', measured: last / first, unit: '', target: { atMost: 1.1 } },
      ];
    } finally {
      await server.stop();
    }
  });
}

async function startLines({ ids }: Options): Promise<readonly Line[]> {
  return withFolder(async (folder) => {
    await fillIds(folder, ids);
    const server = await startServer('collector', folder);
    const { residentBytes, cpu } = await server.usage();
    await server.stop();
    return [
      { what: `start with ${ids} ids kept`, measured: server.startSeconds, unit: 's', target: { atMost: 5 } },
      { what: 'its CPU time', measured: cpu, unit: 's' },
      { what: 'resident memory then', measured: residentBytes / 2 ** 20, unit: 'MiB' },
    ];
  });
}

/** Measures everything, one thing after the other. */
export async function ingest(args: readonly string[]): Promise<{
  readonly result: { readonly passed: boolean; readonly options: Options; readonly lines: readonly Line[] };
  readonly rows: readonly (readonly string[])[];
}> {
  const whole = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      pairs: whole,
      seconds: whole,
      rounds: whole,
      connections: whole,
      reports: whole,
      ids: whole,
      throughput: { type: 'boolean' },
    },
  });
  const of = (name: keyof Options, otherwise: number): number => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new TypeError(`--${name}: expected a number above 0, got ${values[name]}`);
    return value;
  };
  const options = {
    pairs: of('pairs', 30),
    seconds: of('seconds', 1),
    rounds: of('rounds', 7),
    connections: of('connections', 256),
    reports: of('reports', 1e7),
    ids: of('ids', 1e7),
  };
  const { lines, cpuPerBatch, perSecond } = await throughputLines(options);
  const rest = async (): Promise<readonly Line[]> => [
    ...(await latencyLines(perSecond, options)),
    ...(await foldingLines(cpuPerBatch)),
    ...(await memoryLines(options)),
    ...(await startLines(options)),
  ];
  const all = values.throughput ? lines : [...lines, ...(await rest())];
  return { result: { passed: all.every(holds), options, lines: all }, rows: [['ingest', 'measured', 'target', ''], ...all.map(rowOf)] };
}
