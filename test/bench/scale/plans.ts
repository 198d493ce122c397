/** What a number of devices needs: machines, disk, log and money, from the measured costs and the simulated day. */

import { type Hour, type Incident, PEAK_HOUR, type Plan, simulateHour, simulateIncident } from './day.ts';
import type { Costs } from './fleet.ts';
import { type IdCosts, pagesChanged } from './ids.ts';
import { Latencies } from './latencies.ts';

/** What is assumed of machines that are not here. */
export interface Assumed {
  /** Batches a device and day, and reports a batch. */
  readonly batches: number;
  readonly reports: number;
  readonly peak: number;
  /** Seconds until a standby is promoted, and until collectors that died are back. */
  readonly databaseAway: number;
  readonly collectorsAway: number;
  /** Seconds that the network and the standby add to each flush. */
  readonly network: number;
  /** Gigabytes of memory of the database, for the index of ids, and seconds of a read from its disk. */
  readonly memory: number;
  readonly read: number;
  /** Prices: of a core for an hour, and of a gigabyte of disk for a month. */
  readonly core: number;
  readonly gigabyte: number;
}

/** What a number of devices needs. */
export interface Needs {
  readonly devices: number;
  readonly plan: Plan;
  readonly peak: Hour;
  /** Over all hours, each by its batches. */
  readonly day: Latencies;
  readonly incident: Incident;
  /** Bytes: of ids on the disk, of the index of one day, and of the log of a day. */
  readonly ids: number;
  readonly index: number;
  readonly logged: number;
  /** For a million reports. */
  readonly collectorHours: number;
  readonly databaseHours: number;
  readonly price: number;
}

const DAY = 86_400;
/** Days that ids are kept, and seconds between two checkpoints, as in docs/deploy/postgres/postgresql.conf. */
export const KEPT = 17;
const CHECKPOINT = 900;
const GIGABYTE = 1e9;

/** The share of the processors that is used at the peak, at most: the others are for incidents. */
const USED = 0.6;

/** Bytes that the log of a day gets for ids: each alone, and whole pages of an index that grows over the day. */
export function loggedInDay(batches: number, { logged, page, perPage }: IdCosts): number {
  const steps = Math.round(DAY / CHECKPOINT);
  const inserts = batches / steps;
  let pages = 0;
  for (let step = 0; step < steps; step++) pages += pagesChanged(Math.max(1, ((step + 0.5) * inserts) / perPage), inserts);
  return batches * logged + pages * page;
}

const ceil = (cores: number, least: number): number => Math.max(least, Math.ceil(cores));

/** The latencies of all hours. */
function together(hours: readonly Hour[]): Latencies {
  const all = new Latencies();
  for (const { latencies, perSecond } of hours) for (let i = 0.5; i < 1_000; i++) all.add(latencies.quantile(i / 1_000), perSecond / 1_000);
  return all;
}

/** A plan that is large enough. The first one does not count what flushes cost, which depends on how many batches share one. */
function planOf(costs: Costs, plan: Plan): Plan {
  const { collectors, database } = simulateHour(costs, plan, PEAK_HOUR);
  if (collectors <= USED && database <= USED) return plan;
  return planOf(costs, {
    ...plan,
    collectors: plan.collectors + (collectors > USED ? Math.ceil(plan.collectors * Math.min(1, collectors / USED - 1)) : 0),
    databaseCores: plan.databaseCores + (database > USED ? Math.ceil(plan.databaseCores * Math.min(1, database / USED - 1)) : 0),
  });
}

/** What so many devices need. */
export function needsOf(devices: number, measured: Costs, idCosts: IdCosts, deltas: number, assumed: Assumed): Needs {
  const batches = devices * assumed.batches;
  const atPeak = (batches / DAY) * assumed.peak;
  const index = batches * idCosts.index;
  const missing = Math.max(0, 1 - (assumed.memory * GIGABYTE) / index);
  const costs: Costs = { ...measured, clientBatch: 0, commit: measured.commit + assumed.network, read: missing * assumed.read };
  const plan = planOf(costs, {
    ...{ batches, peak: assumed.peak, databaseAway: assumed.databaseAway, collectorsAway: assumed.collectorsAway },
    collectors: ceil((atPeak * costs.collectorBatch) / USED, 2),
    databaseCores: ceil((atPeak * costs.databaseBatch) / USED, 2),
  });
  const hours = Array.from({ length: 24 }, (_, hour) => simulateHour(costs, plan, hour));
  const byRate = hours.toSorted((a, b) => a.perSecond - b.perSecond);
  const used = (part: 'collectors' | 'database'): number => hours.reduce((sum, hour) => sum + hour[part], 0) / 24;
  const millions = (batches * assumed.reports) / 1e6;
  const logged = loggedInDay(batches, idCosts) + batches * deltas;
  const ids = KEPT * batches * (idCosts.row + idCosts.index);
  const cores = plan.collectors + 2 * plan.databaseCores; // a primary and its standby
  const disks = (2 * (ids + logged)) / GIGABYTE;
  return {
    ...{ devices, plan, index, logged, ids },
    peak: byRate.at(-1) as Hour,
    day: together(hours),
    incident: simulateIncident(costs, plan),
    collectorHours: (24 * used('collectors') * plan.collectors) / millions,
    databaseHours: (24 * used('database') * plan.databaseCores) / millions,
    price: (24 * cores * assumed.core + (disks * assumed.gigabyte) / 30) / millions,
  };
}
