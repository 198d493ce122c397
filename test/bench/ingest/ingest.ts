/**
 * `npm run bench -- ingest [--seconds 2] [--rounds 7] [--connections 256] [--reports 10000000] [--ids 10000000]`: durably
 * acknowledged requests per CPU second of the server's process, all its threads, beside R, those of a bare node:http POST of
 * the same bytes in the same minutes. Only ratios mean anything on a machine that others share.
 */

import { parseArgs } from 'node:util';
import { median, quantile } from '../../kit/quantile.ts';
import { holds, type Line, rowOf } from '../lines.ts';
import { withStolen } from '../stolen.ts';
import { foldingGain, foldingSeconds } from './folding.ts';
import { closedLoop, openLoop } from './load.ts';
import { fillIds } from './many-ids.ts';
import { type ServerProcess, startServer, withFolder } from './process.ts';
import { type BatchSize, batches, requests } from './requests.ts';

/** So many times the connections, where commits are slow: a closed loop waits for its commits, and a server that waits is not measured. */
const MORE = 4;

/** Rounds that only warm up: the servers of slow commits see a third of the requests of the others in the same time. */
const WARMING = 3;

const KINDS = ['bare', 'collector', 'slow', 'naive'] as const;
type Kind = (typeof KINDS)[number];

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly reports: number;
  readonly ids: number;
}

/** Runs one load and gives requests per CPU second and per second. */
async function measure(
  server: ServerProcess,
  next: () => Buffer,
  { connections, seconds }: Options,
): Promise<readonly [cpu: number, wall: number]> {
  const before = await server.usage();
  const { acknowledged, refused, seconds: took } = await closedLoop(server.port, connections, next, seconds);
  const after = await server.usage();
  if (refused > 0) throw new Error(`expected every request to be acknowledged, got ${refused} refusals`);
  return [acknowledged / (after.cpu - before.cpu), acknowledged / took];
}

/** Interleaved runs of every kind of server on the same requests. */
async function throughput(
  servers: ReadonlyMap<Kind, ServerProcess>,
  size: BatchSize,
  options: Options,
): Promise<Map<Kind, readonly [number, number]>> {
  const next = await requests(size);
  const runs = new Map<Kind, (readonly [number, number])[]>();
  for (let round = -WARMING; round < options.rounds; round++) {
    for (const [kind, server] of servers) {
      const run = await measure(server, next, options);
      if (round >= 0) runs.set(kind, [...(runs.get(kind) ?? []), run]);
    }
  }
  return new Map([...runs].map(([kind, all]) => [kind, [median(all.map(([cpu]) => cpu)), median(all.map(([, wall]) => wall))]]));
}

/** For each kind: requests per CPU second, and per second. */
const quantities = (found: ReadonlyMap<Kind, readonly [number, number]>): readonly [(kind: Kind) => number, (kind: Kind) => number] => [
  (kind) => found.get(kind)?.[0] ?? Number.NaN,
  (kind) => found.get(kind)?.[1] ?? Number.NaN,
];

async function throughputLines(
  options: Options,
): Promise<{ readonly lines: readonly Line[]; readonly cpuPerBatch: number; readonly perSecond: number }> {
  return withFolder(async (folder) => {
    const servers = new Map<Kind, ServerProcess>();
    try {
      for (const kind of KINDS) servers.set(kind, await startServer(kind, `${folder}/${kind}`));
      const lines: Line[] = [];
      let [cpuPerBatch, perSecond] = [0, 0];
      for (const size of [1, 10] as const) {
        const found = await throughput(servers, size, options);
        const many = { ...options, connections: MORE * options.connections };
        const waiting = await throughput(new Map([...servers].filter(([kind]) => kind === 'collector' || kind === 'slow')), size, many);
        const [cpu, wall] = quantities(found);
        const [waitingCpu, waitingWall] = quantities(waiting);
        const name = `${size} ${size === 1 ? 'report' : 'reports'} a request`;
        lines.push(
          { what: `${name}: R, bare node:http`, measured: cpu('bare'), unit: 'requests per CPU s' },
          { what: `${name}: durably acknowledged`, measured: cpu('collector'), unit: 'requests per CPU s' },
          { what: `${name}: of R`, measured: cpu('collector') / cpu('bare'), unit: '', target: { atLeast: size === 1 ? 0.45 : 0.4 } },
          { what: `${name}: naive server, of R`, measured: cpu('naive') / cpu('bare'), unit: '' },
          { what: `${name}: commits slowed by 5 ms, per CPU s`, measured: cpu('slow') / cpu('collector'), unit: 'of its own' },
          {
            what: `${name}: the same of ${many.connections} connections, per CPU s`,
            measured: waitingCpu('slow') / waitingCpu('collector'),
            unit: 'of its own',
            target: { atLeast: 0.8 },
          },
          {
            what: `${name}: the same, per second`,
            measured: waitingWall('slow') / waitingWall('collector'),
            unit: 'of its own',
            target: { atLeast: 0.8 },
          },
        );
        if (size === 1) perSecond = wall('collector');
        cpuPerBatch = 1 / cpu('collector');
      }
      return { lines, cpuPerBatch, perSecond };
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
        const alone = await openLoop(server.port, 1, next, seconds, 20);
        const { latencies } = await openLoop(server.port, connections, next, seconds, perSecond / 2);
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

/** Resident memory after each tenth of so many reports, the first two left out, while the heap finds its size: its largest over its least. */
async function memoryLines(options: Options): Promise<readonly Line[]> {
  return withFolder(async (folder) => {
    const server = await startServer('collector', folder);
    try {
      const next = await requests(10);
      const resident: number[] = [];
      let sent = 0;
      for (let tenth = 1; tenth <= 10; tenth++) {
        do sent += 10 * (await closedLoop(server.port, options.connections, next, 1)).acknowledged;
        while (sent < (tenth * options.reports) / 10);
        resident.push((await server.usage()).residentBytes);
      }
      const settled = resident.slice(2);
      return [
        { what: `resident memory over ${sent} reports, largest`, measured: Math.max(...settled) / 2 ** 20, unit: 'MiB' },
        { what: 'the same, largest over least', measured: Math.max(...settled) / Math.min(...settled), unit: '', target: { atMost: 1.1 } },
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
    options: { seconds: whole, rounds: whole, connections: whole, reports: whole, ids: whole },
  });
  const of = (name: keyof Options, otherwise: number): number => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new TypeError(`--${name}: expected a number above 0, got ${values[name]}`);
    return value;
  };
  const options = {
    seconds: of('seconds', 2),
    rounds: of('rounds', 7),
    connections: of('connections', 256),
    reports: of('reports', 1e7),
    ids: of('ids', 1e7),
  };
  const { lines, cpuPerBatch, perSecond } = await throughputLines(options);
  const all = [
    ...lines,
    ...(await latencyLines(perSecond, options)),
    ...(await foldingLines(cpuPerBatch)),
    ...(await memoryLines(options)),
    ...(await startLines(options)),
  ];
  return { result: { passed: all.every(holds), options, lines: all }, rows: [['ingest', 'measured', 'target', ''], ...all.map(rowOf)] };
}
