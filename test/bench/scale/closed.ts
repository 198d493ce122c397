/** A closed loop in the simulation: clients that send the next batch when the last one is answered, on the processors that all share. */

import { Clock, Pool } from './events.ts';
import { type Bunch, type Costs, SimulatedCollector, SimulatedDatabase } from './fleet.ts';
import { Latencies } from './latencies.ts';

/** What a closed loop gives. */
export interface Closed {
  /** Batches a second. */
  readonly perSecond: number;
  /** Batches of a flush. */
  readonly perFlush: number;
  readonly latencies: Latencies;
}

/** Simulates so many clients at each of so many collectors, on one machine. */
export function simulateClosed(costs: Costs, cores: number, collectors: number, clients: number, seconds: number): Closed {
  const clock = new Clock();
  const machine = new Pool(clock, cores);
  const database = new SimulatedDatabase(clock, machine, costs);
  const latencies = new Latencies();
  let acknowledged = 0;
  const warm = seconds / 4;
  for (let i = 0; i < collectors; i++) {
    // One process sends for all clients of a collector: it takes up what has been answered, and sends as much.
    let [answered, isBusy] = [0, false];
    const send = (): void => {
      if (isBusy || answered === 0) return;
      const count = answered;
      [answered, isBusy] = [0, true];
      machine.work(costs.clientBatch * count, () => {
        isBusy = false;
        collector.receive({ count, first: clock.now, sent: clock.now });
        send();
      });
    };
    const answer = ({ count, sent }: Bunch): void => {
      if (clock.now > warm) {
        acknowledged += count;
        latencies.add(clock.now - sent, count);
      }
      answered += count;
      send();
    };
    const collector = new SimulatedCollector(clock, machine, database, costs, answer);
    for (let client = 0; client < clients; client++) clock.after((client / clients) * 0.01, () => answer({ count: 1, first: 0, sent: 0 }));
  }
  clock.runUntil(warm);
  const before = database.flushes;
  clock.runUntil(seconds);
  return { perSecond: acknowledged / (seconds - warm), perFlush: acknowledged / Math.max(1, database.flushes - before), latencies };
}
