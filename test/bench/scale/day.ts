/**
 * A day of many devices on many collectors and one database, simulated: every hour for some seconds, and at the peak an incident. A third of
 * the collectors die, and later the primary, whose standby takes over after a while. Devices that are refused come again after the
 * `Retry-After` of 5 to 30 s and the client's own 1 to 5 s.
 */

import { Clock, Pool } from './events.ts';
import { type Bunch, type Costs, SimulatedCollector, SimulatedDatabase } from './fleet.ts';
import { Latencies } from './latencies.ts';

/** The machines, and who uses them. */
export interface Plan {
  /** Batches of the day, and the peak as a multiple of the mean. */
  readonly batches: number;
  readonly peak: number;
  readonly collectors: number;
  readonly databaseCores: number;
  /** Seconds that collectors, and the primary, are away in the incident. */
  readonly collectorsAway: number;
  readonly databaseAway: number;
}

const DAY = 86_400;
/** The hour of the peak. */
export const PEAK_HOUR = 20;
/** Seconds between two bunches that arrive at a collector, simulated seconds of each hour, and of the incident. */
const STEP = 0.002;
const HOUR = 10;
const [DIE, FAIL, END] = [30, 240, 900];

/**
 * The rate over the day as exp(k cos) over its mean, with k such that the peak is this multiple of the mean. Returns the rate at an hour, as
 * a multiple of the mean.
 */
export function shapeOf(peak: number): (hour: number) => number {
  const steps = Array.from({ length: 288 }, (_, i) => Math.cos((2 * Math.PI * i) / 288));
  const meanOf = (k: number): number => steps.reduce((sum, cosine) => sum + Math.exp(k * cosine), 0) / steps.length;
  let [low, high] = [0, 50];
  for (let i = 0; i < 60; i++) {
    const k = (low + high) / 2;
    if (Math.exp(k) / meanOf(k) < peak) low = k;
    else high = k;
  }
  const mean = meanOf(low);
  return (hour) => Math.exp(low * Math.cos((2 * Math.PI * (hour - PEAK_HOUR)) / 24)) / mean;
}

/** A draw from the Poisson law: by its definition for small means, by its normal limit above. */
function poisson(mean: number): number {
  if (mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  let count = -1;
  for (let product = 1; product > Math.exp(-mean); count++) product *= Math.random();
  return count;
}

/** The machines at work. */
class Fleet {
  readonly clock: Clock = new Clock();
  readonly latencies: Latencies = new Latencies();
  /** From when a batch was first sent. */
  readonly waits: Latencies = new Latencies();
  readonly collectors: readonly SimulatedCollector[];
  readonly database: SimulatedDatabase;
  readonly databasePool: Pool;
  readonly pools: readonly Pool[];
  /** Batches that were refused and are not yet acknowledged. */
  refused = 0;

  constructor(costs: Costs, { collectors, databaseCores }: Plan) {
    this.databasePool = new Pool(this.clock, databaseCores);
    this.database = new SimulatedDatabase(this.clock, this.databasePool, costs);
    this.pools = Array.from({ length: collectors }, () => new Pool(this.clock, 1));
    this.collectors = this.pools.map(
      (pool) =>
        new SimulatedCollector(this.clock, pool, this.database, costs, (bunch, answer) => this.#answered(bunch, answer === 'acknowledged')),
    );
  }

  #answered({ count, first, sent }: Bunch, isAcknowledged: boolean): void {
    const { clock } = this;
    if (isAcknowledged) {
      this.latencies.add(clock.now - sent, count);
      this.waits.add(clock.now - first, count);
      if (sent > first) this.refused -= count;
      return;
    }
    if (sent === first) this.refused += count;
    clock.after(6 + 29 * Math.random(), () => this.#send({ count, first, sent: clock.now }));
  }

  /** Sends a bunch to a collector that answers, as a load balancer does. */
  #send(bunch: Bunch): void {
    const up = this.collectors.filter(({ isUp }) => isUp);
    up[Math.floor(Math.random() * up.length)]?.receive(bunch);
  }

  /** Lets devices send at this rate. */
  arrive(perSecond: () => number): void {
    const step = (): void => {
      const up = this.collectors.filter(({ isUp }) => isUp);
      for (const collector of up) {
        const count = poisson((perSecond() * STEP) / up.length);
        const at = this.clock.now - STEP / 2;
        if (count > 0) collector.receive({ count, first: at, sent: at });
      }
      this.clock.after(STEP, step);
    };
    this.clock.after(STEP, step);
  }
}

/** What an hour looks like. */
export interface Hour {
  readonly hour: number;
  readonly perSecond: number;
  readonly latencies: Latencies;
  /** Shares of the processors that are used. */
  readonly collectors: number;
  readonly database: number;
}

/** Simulates an hour of the day by some of its seconds. */
export function simulateHour(costs: Costs, plan: Plan, hour: number): Hour {
  const perSecond = (plan.batches / DAY) * shapeOf(plan.peak)(hour);
  const fleet = new Fleet(costs, plan);
  fleet.arrive(() => perSecond);
  fleet.clock.runUntil(HOUR);
  const used = fleet.pools.reduce((sum, pool) => sum + pool.used, 0);
  return {
    ...{ hour, perSecond, latencies: fleet.latencies },
    collectors: used / (HOUR * plan.collectors),
    database: fleet.databasePool.used / (HOUR * plan.databaseCores),
  };
}

/** What an incident looks like. */
export interface Incident {
  /** The most batches that were refused and not yet acknowledged, and seconds after the primary was back until there were none. */
  readonly backlog: number;
  readonly drained: number;
  /** Answers to batches that were taken, and the time from when each was first sent. */
  readonly latencies: Latencies;
  readonly waits: Latencies;
}

/** Simulates the incident at the peak. */
export function simulateIncident(costs: Costs, plan: Plan): Incident {
  const perSecond = (plan.batches / DAY) * plan.peak;
  const fleet = new Fleet(costs, plan);
  const { clock, database, collectors } = fleet;
  const dying = collectors.slice(0, Math.ceil(collectors.length / 3));
  fleet.arrive(() => perSecond);
  clock.after(DIE, () => {
    for (const collector of dying) collector.kill();
  });
  clock.after(DIE + plan.collectorsAway, () => {
    for (const collector of dying) collector.isUp = true;
  });
  clock.after(FAIL, () => {
    database.isUp = false;
  });
  const back = FAIL + plan.databaseAway;
  clock.after(back, () => {
    database.isUp = true;
  });
  let [backlog, drained] = [0, Number.POSITIVE_INFINITY];
  for (let second = 1; second <= END; second++) {
    clock.runUntil(second);
    backlog = Math.max(backlog, fleet.refused);
    if (second > back && fleet.refused === 0) drained = Math.min(drained, second - back);
  }
  return { backlog, drained, latencies: fleet.latencies, waits: fleet.waits };
}
