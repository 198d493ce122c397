/** Options that select metrics of a store, and the evidence of those that are selected. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseDay } from '@murmuration/shared';
import type { Command } from 'commander';
import { createCatalog, type PublishedMetric } from '../schemas/catalog.ts';
import { DATABASE, isCurrent } from '../store/sqlite-schema.ts';
import type { Evidence } from '../store/store.ts';
import { openTallies } from '../store/tallies.ts';
import type { load } from './serve.ts';
import { UsageError } from './usage.ts';

/** What is read. */
export interface StoredOptions {
  readonly schema?: string[];
  readonly data: string;
  readonly app?: string;
  readonly metric?: string;
  readonly from?: number;
  readonly to?: number;
  readonly segment: { readonly [name: string]: string };
}

function dayOption(name: string): (text: string) => number {
  return (text) => {
    const day = parseDay(text);
    if (day === undefined) throw new UsageError(`${name}: expected a day such as 2026-11-20, got ${JSON.stringify(text)}`);
    return day;
  };
}

function segmentOption(text: string, before: StoredOptions['segment']): StoredOptions['segment'] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--segment: expected name=value, got ${JSON.stringify(text)}`);
  return { ...before, [name]: value };
}

/** The metrics that are asked for. @throws {UsageError} when there are none, or one has no such segment */
function chosen(metrics: readonly PublishedMetric[], { app, metric, segment }: StoredOptions): readonly PublishedMetric[] {
  const found = metrics.filter((each) => (app === undefined || each.app === app) && (metric === undefined || each.metric === metric));
  if (found.length === 0)
    throw new UsageError(`expected metrics of the schemas (${metrics.map((each) => `${each.app} ${each.metric}`).join(', ')}), got none`);
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
  const { from, to, schema } = options;
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError('--from: expected a day up to that of --to, got a later one');
  return chosen(createCatalog(schema === undefined ? published : schemas).metrics, options);
}

/** Reads what the store holds of each metric, and makes something of it, one metric after the other. @throws {UsageError} without a store */
export async function fromStore<T>(
  { data, from, to, segment }: StoredOptions,
  metrics: readonly PublishedMetric[],
  make: (stored: Stored) => T,
): Promise<readonly T[]> {
  const file = join(data, DATABASE);
  if (!existsSync(file)) throw new UsageError(`${data}: expected a folder with a store, got none`);
  if (!isCurrent(file)) throw new UsageError(`${data}: expected a store of the newest version, got an older one; start the collector once`);
  const tallies = openTallies({ file });
  try {
    const all: T[] = [];
    for (const metric of metrics) {
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      all.push(make({ metric, evidence: await tallies.read({ schemas: metric.schemas, metric: metric.metric, segment, ...range }) }));
    }
    return all;
  } finally {
    await tallies.close();
  }
}

/** Adds the options. */
export const addStored = (command: Command): Command =>
  command
    .option('--schema <file...>', 'schema modules or canonical JSON (default: those that schemas publish has put into the folder)')
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--app <app>', 'metrics of this app only')
    .option('--metric <metric>', 'this metric only')
    .option('--from <day>', 'first day, such as 2026-11-01', dayOption('--from'))
    .option('--to <day>', 'last day', dayOption('--to'))
    .option('--segment <name=value>', 'reports of this segment only; may be repeated', segmentOption, {});
