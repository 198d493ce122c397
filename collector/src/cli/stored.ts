/** The metrics of a store that options select (stored-options.ts), and what it holds of them. */

import { dayText, parseDay } from '@murmuration/shared';
import { parseDays, SOME_DAYS } from '../base/days.ts';
import { asUsage, UsageError } from '../base/fault.ts';
import { count } from '../base/numbers.ts';
import type { Evidence } from '../estimation/tally.ts';
import { createCatalog, type PublishedMetric } from '../schemas/catalog.ts';
import { appOf } from '../storage/quota.ts';
import type { MetricTotal, Selection, TallySource } from '../storage/store.ts';
import { openTallies } from '../storage/tallies.ts';
import { type AdminPlace, backendOf } from './admin.ts';
import type { load } from './serve.ts';
import type { StoredOptions } from './stored-options.ts';

/** Days from one to another, both included, without some; all days without. */
type Days = Pick<Selection, 'from' | 'to' | 'exclude'>;

/** The days of the options. @throws {UsageError} */
function daysOf({ from, to, exclude }: StoredOptions): Days {
  const dayOf = (name: string, text: string): number => {
    const day = parseDay(text);
    if (day === undefined) throw new UsageError(`${name}: expected a day such as 2026-11-20, got ${JSON.stringify(text)}`);
    return day;
  };
  const left = exclude === undefined ? [] : parseDays(exclude);
  if (left === undefined) throw new UsageError(`--exclude: expected ${SOME_DAYS}, got ${JSON.stringify(exclude)}`);
  const days: Days = {
    ...(from !== undefined && { from: dayOf('--from', from) }),
    ...(to !== undefined && { to: dayOf('--to', to) }),
    ...(left.length > 0 && { exclude: left }),
  };
  if (days.from !== undefined && days.to !== undefined && days.from > days.to)
    throw new UsageError('--from: expected a day up to that of --to, got a later one');
  return days;
}

/** The metrics that are asked for. @throws {UsageError} when there are none, or one has no such segment */
function chosen(metrics: readonly PublishedMetric[], { app, metric, segment }: StoredOptions): readonly PublishedMetric[] {
  const found = metrics.filter((each) => (app === undefined || each.app === app) && (metric === undefined || each.metric === metric));
  if (found.length === 0) {
    const known = metrics.map((each) => `${each.app} ${each.metric}`).join(', ');
    const asked = [app, metric].filter((name) => name !== undefined).join(' ');
    throw new UsageError(`expected metrics of the schemas (${known}), got ${asked || 'none'}`);
  }
  for (const { app, segments } of found) {
    for (const [name, value] of Object.entries(segment)) {
      const values = Object.hasOwn(segments, name) ? (segments[name] ?? []) : [];
      if (!values.includes(value))
        throw new UsageError(`--segment: expected a segment of ${app} with one of its values, got ${JSON.stringify(`${name}=${value}`)}`);
    }
  }
  return found;
}

/** A metric, and what the store holds of it. */
export interface Stored {
  readonly metric: PublishedMetric;
  readonly evidence: Evidence;
}

/** The metrics that are asked for, of the schemas of the options or, without any, of the published ones. @throws {UsageError} */
export function metricsOf(options: StoredOptions, { schemas, published }: Awaited<ReturnType<typeof load>>): readonly PublishedMetric[] {
  return chosen(createCatalog(options.schema === undefined ? published : schemas).metrics, options);
}

/** The store of the options: the one in the database, if they name one, or the one in the folder. @throws {UsageError} when there is none */
export async function sourceOf(place: AdminPlace): Promise<TallySource> {
  return backendOf(place).findTallies().catch(asUsage);
}

/**
 * The reports of a store that none of these metrics has, by schema: those of schemas that were not named, and of versions with another law.
 * Only of the app and the metric that the options select.
 */
export async function leftOut(options: StoredOptions, metrics: readonly PublishedMetric[]): Promise<ReadonlyMap<string, number>> {
  const { app, metric } = options;
  const tallies = openTallies(await sourceOf(options));
  try {
    const isMissed = (total: MetricTotal): boolean =>
      (app === undefined || appOf(total.schema) === app) &&
      (metric === undefined || total.metric === metric) &&
      !metrics.some((each) => each.metric === total.metric && each.schemas.includes(total.schema));
    const missed = new Map<string, number>();
    for (const total of await tallies.totals()) {
      if (isMissed(total)) missed.set(total.schema, (missed.get(total.schema) ?? 0) + total.reports);
    }
    return missed;
  } finally {
    await tallies.close();
  }
}

/** Says on standard error what the options leave out. */
function tellExcluded({ metric: { app, metric }, evidence: { excluded = [] } }: Stored): void {
  for (const { from, to, reports } of excluded) {
    const days = from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}, which are kept as a month`;
    process.stderr.write(`murmuration: ${app} ${metric}: ${count(reports)} reports of ${days} are left out\n`);
  }
}

/** Reads what the store holds of each metric, and makes something of it, one metric after the other. @throws {UsageError} without a store */
export async function fromStore<T>(
  options: StoredOptions,
  metrics: readonly PublishedMetric[],
  make: (stored: Stored) => T,
): Promise<readonly T[]> {
  const { segment } = options;
  const days = daysOf(options);
  const tallies = openTallies(await sourceOf(options));
  try {
    const all: T[] = [];
    for (const metric of metrics) {
      const stored = { metric, evidence: await tallies.read({ schemas: metric.schemas, metric: metric.metric, segment, ...days }) };
      tellExcluded(stored);
      all.push(make(stored));
    }
    return all;
  } finally {
    await tallies.close();
  }
}
