/** The parts of `npm run bench -- scale`: forms that count what they are given, and a simulation against what is known without it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Partitions } from '#collector/storage/postgres/batch-ids.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';
import { execute } from '../../setup/postgres-server.ts';
import { solve } from './calibrate.ts';
import { simulateClosed } from './closed.ts';
import { copyIds } from './copied-ids.ts';
import { shapeOf, simulateHour, simulateIncident } from './day.ts';
import { startDelay } from './delay.ts';
import { Clock, Pool } from './events.ts';
import type { Costs } from './fleet.ts';
import { FORMS, IN_PLACE } from './forms.ts';
import { pagesChanged } from './ids.ts';
import { Latencies } from './latencies.ts';
import { loggedInDay } from './plans.ts';

const costs: Costs = {
  ...{ collectorBatch: 100e-6, collectorFlush: 1e-3, databaseBatch: 20e-6, databaseFlush: 1e-3 },
  ...{ clientBatch: 30e-6, commit: 1e-3, read: 0 },
};

test('counters in place add up what flushes bring, whichever way they do it', async () => {
  const url = await createDatabase();
  const database = new Database({ postgres: url }, { connections: 1, isGuarded: false });
  const tables = ['counter', 'wide_counter', 'packed_counter'];
  try {
    for (const [i, name] of IN_PLACE.entries()) {
      const form = FORMS.find((each) => each.name === name);
      for (const sql of form?.tables ?? []) await execute(url, sql);
      for (const batches of [1, 10_000, 10_000]) await database.transaction(form?.prepare(batches) ?? (async () => undefined));
      // One batch touches a tally of each of ten metrics, and 10,000 batches touch all 1,280.
      const [[rows, reports] = []] = await execute(url, `SELECT count(*), sum(reports) FROM ${tables[i]}`);
      const counters = i === 0 ? 1_280 : 10;
      expect([name, Number(rows), Number(reports)]).toEqual([name, counters, 8 * (10 + 2 * counters)]);
    }
    const wide = await execute(url, 'SELECT DISTINCT cells[2], array_length(cells, 1) FROM wide_counter');
    expect(wide).toEqual([[3, 2_560]]);
    const packed = await execute(url, 'SELECT DISTINCT octet_length(cells), get_byte(cells, 0) BETWEEN 2 AND 3 FROM packed_counter');
    expect(packed).toEqual([[10_240, true]]);
  } finally {
    await database.close();
    for (const table of tables) await execute(url, `DROP TABLE IF EXISTS ${table}`);
    await dropDatabase(url);
  }
});

test('ids that are copied are those of their day, by their shards, and known to the store', async () => {
  const url = await createDatabase();
  try {
    await prepare({ postgres: url }, true);
    const database = new Database({ postgres: url }, { connections: 1, isGuarded: false });
    await new Partitions(database).ensure([20_001]); // as a collector does ahead
    await database.close();
    for (const day of [20_000, 20_001]) {
      const { table, index } = await copyIds(url, day, 12_345);
      expect([table > 12_345 * 48, index > 12_345 * 40]).toEqual([true, true]);
    }
    const [counts] = await execute(
      url,
      `SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE shard = ('x' || left(id::text, 2))::bit(8)::integer),
        count(*) FILTER (WHERE day = 20001) FROM murmuration.batch_id`,
    );
    expect(counts?.map(Number)).toEqual([24_690, 24_690, 24_690, 12_345]);
    await expect(execute(url, 'INSERT INTO murmuration.batch_id SELECT * FROM murmuration.batch_id LIMIT 1')).rejects.toThrow(
      'duplicate key',
    );
  } finally {
    await dropDatabase(url);
  }
});

test('a network with a delay brings all bytes in their order, none too early', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const delay = await startDelay((server.address() as AddressInfo).port, 25);
  const socket = connect(delay.port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    const sent = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
    const began = performance.now();
    for (let at = 0; at < sent.length; at += 10_000) socket.write(sent.subarray(at, at + 10_000));
    const chunks: Buffer[] = [];
    let first = Number.POSITIVE_INFINITY;
    for await (const chunk of socket) {
      first = Math.min(first, performance.now() - began);
      chunks.push(chunk as Buffer);
      if (chunks.reduce((sum, { length }) => sum + length, 0) === sent.length) break;
    }
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
    expect(first).toBeGreaterThan(48); // a timer may be a millisecond early, and there are two
  } finally {
    socket.destroy();
    await delay.close();
    server.close();
    await once(server, 'close');
  }
});

test('a clock runs what was planned in the order of time, and of planning', () => {
  const clock = new Clock();
  const ran: number[] = [];
  for (const [i, at] of [5, 1, 3, 1, 4, 2].entries()) clock.after(at, () => ran.push(i));
  clock.after(9, () => ran.push(99));
  clock.runUntil(8);
  expect([ran, clock.now]).toEqual([[1, 3, 5, 2, 4, 0], 8]);
});

test('jobs share the processors of a pool equally, and none uses more than one', () => {
  const clock = new Clock();
  const pool = new Pool(clock, 2);
  const ends: number[] = [];
  for (const work of [1, 2, 3]) pool.work(work, () => ends.push(clock.now));
  clock.after(10, () => pool.work(1, () => ends.push(clock.now)));
  clock.runUntil(20);
  // Three jobs at 2/3 of a processor each until the first is done at 1.5; then each has one.
  expect(ends.map((end) => end.toFixed(6))).toEqual(['1.500000', '2.500000', '3.500000', '11.000000']);
  expect(pool.used).toBeCloseTo(7, 9);
});

test('the costs of a batch and a flush solve two runs', () => {
  const run = (batches: number, flushes: number): readonly [number, number, number] => [batches, flushes, 3 * batches + 7 * flushes];
  const [batch, flush] = solve(run(100, 50), run(1_000, 20));
  expect([batch, flush]).toEqual([expect.closeTo(3, 9), expect.closeTo(7, 9)]);
  expect(solve([100, 50, 1], [1_000, 20, 1_000])[1]).toBe(0); // nothing is below 0
});

test('quantiles are right within 2 %', () => {
  const latencies = new Latencies();
  for (let i = 1; i <= 1_000; i++) latencies.add(i / 1_000);
  for (const q of [0.01, 0.5, 0.99, 1]) expect(latencies.quantile(q) / q).toBeCloseTo(1, 1);
});

describe('a closed loop', () => {
  test('with one client waits for each cost in turn', () => {
    const { latencies, perSecond, perFlush } = simulateClosed(costs, 8, 1, 1, 10);
    const latency = 100e-6 + 1e-3 + 20e-6 + 1e-3 + 1e-3;
    expect(latencies.quantile(0.5) / latency).toBeCloseTo(1, 1);
    expect(perSecond * (latency + costs.clientBatch)).toBeCloseTo(1, 1);
    expect(perFlush).toBeCloseTo(1, 2);
  });

  test('with many clients uses all processors, and a faster disk does not help', () => {
    const work = ({ perFlush, perSecond }: ReturnType<typeof simulateClosed>): number => perSecond * (150e-6 + 2e-3 / perFlush);
    const slow = simulateClosed(costs, 1, 2, 256, 10);
    expect(work(slow)).toBeGreaterThan(0.97);
    expect(work(slow)).toBeLessThan(1.03);
  });
});

describe('a day', () => {
  const plan = { batches: 86_400_000, peak: 3, collectors: 6, databaseCores: 4, collectorsAway: 20, databaseAway: 30 };

  test('has the mean and the peak that were asked for', () => {
    const shape = shapeOf(3);
    const rates = Array.from({ length: 288 }, (_, i) => shape(i / 12));
    expect(rates.reduce((sum, rate) => sum + rate, 0) / 288).toBeCloseTo(1, 6);
    expect(Math.max(...rates)).toBeCloseTo(3, 6);
  });

  test('takes what comes, and uses the processors that it must', () => {
    const { latencies, perSecond, collectors } = simulateHour(costs, plan, 20);
    expect(perSecond).toBeCloseTo(3_000, 3);
    // Counts of a Poisson law: its standard deviation is the root of 30,000.
    expect(Math.abs(latencies.count - 10 * perSecond)).toBeLessThan(6 * Math.sqrt(30_000) + 100);
    expect(collectors).toBeGreaterThan((3_000 * 100e-6) / 6);
    expect(collectors).toBeLessThan(1);
  });

  test('that has an incident loses nothing: what was refused is acknowledged later', () => {
    const { backlog, drained, waits } = simulateIncident(costs, plan);
    expect(backlog).toBeGreaterThan(3_000 * 29);
    expect(drained).toBeLessThan(120);
    expect(waits.quantile(1)).toBeGreaterThan(30);
    expect(Math.abs(waits.count - 900 * 3_000)).toBeLessThan(6 * Math.sqrt(900 * 3_000) + 3_000);
  });

  test('of n inserts into P pages, all change a page of their own at first, and in the end all pages are changed', () => {
    expect(pagesChanged(1e6, 1) / 1).toBeCloseTo(1, 5);
    expect(pagesChanged(100, 1e6)).toBeCloseTo(100, 5);
    const ids = { row: 60, index: 54, perPage: 150, logged: 200, page: 5_600 };
    // Few batches: an index of hardly any pages, so nearly all of the log is the ids.
    expect(loggedInDay(1e4, ids) / 1e4).toBeLessThan(3_000);
    expect(loggedInDay(1e9, ids) / 1e9).toBeGreaterThan(200);
    expect(loggedInDay(1e9, ids) / 1e9).toBeLessThan(5_800);
  });
});

/** The PostgreSQL servers that a process has started and that run. */
function serversOf(pid: number): readonly number[] {
  const textOf = (file: string): string => {
    try {
      return readFileSync(`/proc/${file}`, 'utf8');
    } catch {
      return ''; // it has ended
    }
  };
  const children = textOf(`${pid}/task/${pid}/children`).trim().split(' ').map(Number);
  return children.filter((child) => textOf(`${child}/cmdline`).split('\0')[0]?.endsWith('/postgres'));
}

test.each(['SIGTERM', 'SIGINT'] as const)('a run that %s ends takes its server with it', async (signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-bench-'));
  chmodSync(folder, 0o755); // for the user of the server
  const run = fileURLToPath(new URL('../run.ts', import.meta.url));
  const child = spawn(process.execPath, [run, 'scale'], { stdio: 'ignore', env: { ...process.env, TMPDIR: folder } });
  const exited = once(child, 'exit');
  let servers: readonly number[] = [];
  const runs = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  try {
    await expect
      .poll(
        () => {
          servers = serversOf(child.pid as number);
          return servers.length;
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    child.kill(signal);
    expect(await exited).toEqual([1, null]);
    await expect.poll(() => servers.filter(runs)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    for (const pid of servers.filter(runs)) process.kill(pid, 'SIGQUIT');
    await expect.poll(() => servers.filter(runs)).toEqual([]);
    rmSync(folder, { recursive: true, maxRetries: 20 }); // its processes may still write
  }
});
