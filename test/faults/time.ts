/**
 * Time and repetition: clocks that jump by two days, nine days and ten years, the same batch a thousand times at once, one id with
 * two bodies, replays, days in the future.
 */

import { type Collector, createCollector } from '@murmuration/collector';
import { dayNumber } from '@murmuration/shared';
import { bodyOf, countsOf, document, wire } from './cells.ts';
import { type Answer, Connection, report } from './connection.ts';
import { failuresOf, type Outcome } from './outcome.ts';
import { withFolder } from './server.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-11-20T12:00:00Z');

/** A collector with a clock that the test controls, and helpers to query it. */
interface Bench {
  clock: number;
  readonly post: (...bodies: readonly string[]) => Promise<readonly Answer[]>;
  readonly statuses: (...bodies: readonly string[]) => Promise<readonly number[]>;
  readonly reports: () => Promise<number>;
  /** The count of a cell of the first row in both metrics; NaN when they differ. */
  readonly count: (cell: number) => Promise<number>;
  readonly restart: () => Promise<void>;
}

async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const open = async (): Promise<{ readonly collector: Collector; readonly port: number }> => {
      const collector = await createCollector({ open: true, schemas: [document], data: `${folder}/data`, now: () => bench.clock });
      return { collector, port: Number(new URL(await collector.listen(0, '127.0.0.1')).port) };
    };
    const bench: Bench = {
      clock: START,
      post: async (...bodies) => {
        const connections = Array.from({ length: Math.min(bodies.length, 100) }, () => new Connection(running.port));
        const answers = await Promise.all(bodies.map((body, i) => (connections[i % connections.length] as Connection).send(report(body))));
        for (const connection of connections) connection.close();
        return answers;
      },
      statuses: async (...bodies) => (await bench.post(...bodies)).map(({ status }) => status),
      reports: async () => (await running.collector.store.read({ schemas: [wire], metric: 'symbol' })).reports,
      count: async (cell) => {
        const { symbol, bits } = await countsOf(running.collector.store, cell + 1, dayNumber(START));
        return symbol[cell] === bits[cell] ? (symbol[cell] as number) : Number.NaN;
      },
      restart: async () => {
        await running.collector.close();
        running = await open();
      },
    };
    let running = await open();
    try {
      await work(bench);
    } finally {
      await running.collector.close();
    }
  });
}

const today = dayNumber(START);
const tally = (statuses: readonly number[]): string =>
  [...new Set(statuses)].map((status) => `${statuses.filter((other) => other === status).length} x ${status}`).join(', ');

/** Clocks that jump forwards and back, with a restart at each point. */
export async function clockJumps(): Promise<Outcome> {
  const failures = failuresOf();
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      failures.add(what, `expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
  };
  let jumps = 0;
  for (const restarts of [false, true])
    await withBench(async (bench) => {
      const oldest = bodyOf(0, today - 14); // of the oldest day that is accepted
      const newest = bodyOf(1, today + 1);
      expect('batches of the first and the last day', await bench.statuses(oldest, newest), [204, 204]);
      for (const jump of [2, -2, 2, -4, 2, 0]) {
        bench.clock += jump * DAY;
        jumps++;
        if (restarts) await bench.restart();
        const now = dayNumber(bench.clock) - today;
        expect('a fresh batch', await bench.statuses(bodyOf(100 + jumps, today + now)), [204]);
        expect(`a replay of the oldest at day ${now}`, await bench.statuses(oldest), [now > 0 ? 410 : 204]);
        expect(`a replay of the newest at day ${now}`, await bench.statuses(newest), [now < 0 ? 400 : 204]);
      }
      expect('reports in all', await bench.reports(), 2 + 6);
      // With the clock nine days ahead, or ten years, a batch or two close no day: batches that are eight days old now are known later.
      const older = bodyOf(2, today - 8);
      expect('a batch of eight days ago', await bench.statuses(older), [204]);
      for (const [jump, replay, fresh] of [
        [9, 410, 204],
        [-9, 204, 204],
        [0, 204, 204],
        [3_650, 410, 204],
        [-3_650, 204, 204],
      ] as const) {
        bench.clock += jump * DAY;
        jumps++;
        if (restarts) await bench.restart();
        const now = dayNumber(bench.clock) - today;
        expect(`a fresh batch at day ${now}`, await bench.statuses(bodyOf(100 + jumps, today + now)), [fresh]);
        expect(`a replay of one of eight days ago at day ${now}`, await bench.statuses(older), [replay]);
      }
      expect('reports in all, then', await bench.reports(), 2 + 6 + 1 + 5);
    });
  return {
    fault: 'clock jumps',
    tried: `${jumps} jumps of two days, nine days and ten years forwards and back, half with a restart`,
    seen: 'every replay counted once or refused',
    failures: failures.list(),
  };
}

/** The same batch and the same id at once; too late; too early. */
export async function replays(copies: number): Promise<Outcome> {
  const failures = failuresOf();
  let seen = '';
  await withBench(async (bench) => {
    const same = await bench.statuses(...Array.from({ length: copies }, () => bodyOf(7, today)));
    if (tally(same) !== `${copies} x 204` || (await bench.count(7)) !== 1) failures.add('the same batch at once', tally(same));

    const [one, other] = [bodyOf(8, today), bodyOf(9, today).replace(/"batch":"\w+"/, /"batch":"\w+"/.exec(bodyOf(8, today))?.[0] ?? '')];
    const both = Array.from({ length: copies }, (_, i) => (i % 2 === 0 ? one : other));
    const statuses = await bench.statuses(...both);
    const winner = (await bench.count(8)) === 1 ? 0 : 1;
    const right = statuses.every((status, i) => status === (i % 2 === winner ? 204 : 409));
    if (!right || (await bench.count(8)) + (await bench.count(9)) !== 1) failures.add('one id with two bodies at once', tally(statuses));

    const before = await bench.reports();
    const future = await bench.statuses(bodyOf(10, today + 2), bodyOf(11, today + 400));
    if (tally(future) !== '2 x 400') failures.add('future-dated', tally(future));
    const old = bodyOf(12, today);
    await bench.statuses(old);
    bench.clock += 15 * DAY;
    const late = await bench.statuses(old, bodyOf(13, today));
    if (tally(late) !== '2 x 410') failures.add('after the window', tally(late));
    if ((await bench.reports()) !== before + 1) failures.add('a refused batch was counted');
    seen = `at once: ${tally(same)}; two bodies: ${tally(statuses)}; future-dated ${tally(future)}; after the window ${tally(late)}`;
  });
  return {
    fault: 'replays, conflicts, other days',
    tried: `${copies} copies at once of one batch, ${copies} of one id`,
    seen: `${seen}; each counted once or not at all`,
    failures: failures.list(),
  };
}
