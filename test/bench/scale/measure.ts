/** Measures collectors on real PostgreSQL under a closed loop: batches, flushes, processor time of each part, and latencies. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { dayNumber } from '@murmuration/shared';
import { connected } from '#collector/storage/postgres/connection.ts';
import type { Cluster } from '../../faults/postgres/cluster.ts';
import { requests } from '../ingest/requests.ts';
import { Latencies } from './latencies.ts';

const file = fileURLToPath(new URL('./collector.ts', import.meta.url));

/** What a collector's process says of itself. */
export interface Usage {
  readonly cpu: number;
  readonly flushes: number;
}

/** What a run took. */
export interface Measured {
  readonly collectors: number;
  /** Clients of each collector. */
  readonly clients: number;
  readonly seconds: number;
  readonly batches: number;
  readonly flushes: number;
  /** Processor seconds. */
  readonly collector: number;
  readonly database: number;
  readonly client: number;
  /** Cores of this machine that nothing else used. */
  readonly cores: number;
  /** Seconds of a commit that writes nearly nothing, just before. */
  readonly commit: number;
  /** Bytes of the database's log. */
  readonly logged: number;
  readonly latencies: Latencies;
}

/** Processor seconds of processes that run, and of those that they have waited for. Linux counts in hundredths of a second. */
const processorSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      return sum + [11, 12, 13, 14].reduce((all, i) => all + Number(fields[i]), 0) / 100;
    } catch {
      return sum; // it has ended, and its parent counts it
    }
  }, 0);

/** Processor seconds that were idle, of all cores since the start. */
const idleSeconds = (): number =>
  readFileSync('/proc/stat', 'latin1')
    .split('\n')[0]
    ?.split(/\s+/)
    .slice(4, 6)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0) ?? Number.NaN;

interface Collector {
  readonly port: number;
  readonly usage: () => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

async function startCollector(url: string, day: number): Promise<Collector> {
  const child: ChildProcess = fork(file, [url, `${day}`]);
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
  return {
    port,
    usage: async () => {
      child.send('usage');
      return ((await once(child, 'message')) as [Usage])[0];
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

const SPACE = 0x20;
const isAcknowledged = (answer: Buffer): boolean => answer[8] === SPACE && answer[9] === 0x32 && answer[10] === 0x30 && answer[11] === 0x34;

/** Runs clients that each send a batch when the last one is answered. Resolves to the number of batches. */
async function load(ports: readonly number[], clients: number, next: () => Buffer, seconds: number, latencies: Latencies): Promise<number> {
  const sockets = ports.flatMap((port) => Array.from({ length: clients }, () => connect({ port, host: '127.0.0.1', noDelay: true })));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const end = performance.now() + 1_000 * seconds;
  let batches = 0;
  await Promise.all(
    sockets.map((socket) => {
      let sent = performance.now();
      socket.on('data', (answer) => {
        if (!isAcknowledged(answer)) throw new Error(`expected 204, got ${answer.subarray(0, 60).toString('latin1')}`);
        const now = performance.now();
        latencies.add((now - sent) / 1_000);
        batches++;
        sent = now;
        if (now < end) socket.write(next());
        else socket.destroy();
      });
      socket.write(next());
      return once(socket, 'close');
    }),
  );
  return batches;
}

/** The median of the seconds that a commit takes which writes nearly nothing, beside nothing else. */
export const commitSeconds = (url: string): Promise<number> =>
  connected({ postgres: url }, async (query) => {
    const times: number[] = [];
    for (let i = 0; i < 100; i++) {
      const began = performance.now();
      await query("SELECT pg_logical_emit_message(true, 'bench', '')");
      times.push((performance.now() - began) / 1_000);
    }
    return times.sort((a, b) => a - b)[50] as number;
  });

/** Measures so many collectors with so many clients each, of 10 reports a batch, on a day. */
export async function measure(
  cluster: Cluster,
  collectors: number,
  clients: number,
  seconds: number,
  day: number = dayNumber(Date.now()),
): Promise<Measured> {
  const started: Collector[] = [];
  try {
    for (let i = 0; i < collectors; i++) started.push(await startCollector(cluster.url, day));
    const ports = started.map(({ port }) => port);
    const next = await requests(10, day);
    await load(ports, clients, next, Math.max(2, seconds / 4), new Latencies());
    const read = async () => {
      const usages = await Promise.all(started.map(({ usage }) => usage()));
      const [[position] = []] = await connected({ postgres: cluster.url }, (query) => query("SELECT pg_current_wal_lsn() - '0/0'"));
      const { user, system } = process.cpuUsage();
      return {
        collector: usages.reduce((sum, { cpu }) => sum + cpu, 0),
        flushes: usages.reduce((sum, each) => sum + each.flushes, 0),
        database: processorSeconds(cluster.processes()),
        client: (user + system) / 1e6,
        logged: Number(position),
        idle: idleSeconds(),
        at: performance.now(),
      };
    };
    const latencies = new Latencies();
    const commit = await commitSeconds(cluster.url);
    const before = await read();
    const batches = await load(ports, clients, next, seconds, latencies);
    const after = await read();
    const took = (after.at - before.at) / 1_000;
    const used = {
      collector: after.collector - before.collector,
      database: after.database - before.database,
      client: after.client - before.client,
    };
    return {
      ...{ collectors, clients, batches, latencies, commit, seconds: took },
      flushes: after.flushes - before.flushes,
      ...used,
      cores: (used.collector + used.database + used.client + after.idle - before.idle) / took,
      logged: after.logged - before.logged,
    };
  } finally {
    await Promise.all(started.map(({ stop }) => stop()));
  }
}
