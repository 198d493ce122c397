/** `murmuration export`: the estimates of a store as CSV or JSON. It only reads what is folded, so a collector may be running. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDay } from '@murmuration/shared';
import type { Command } from 'commander';
import { type AnswerEstimate, estimate, type MetricEstimates } from '../estimates/estimates.ts';
import { createCatalog, type PublishedMetric } from '../schemas/catalog.ts';
import { DATABASE, isCurrent } from '../store/sqlite-schema.ts';
import { openTallies } from '../store/tallies.ts';
import { load } from './serve.ts';
import { choiceOption, Failure, UsageError, wholeOption } from './usage.ts';

const FORMATS = ['csv', 'json'] as const;

interface ExportOptions {
  readonly schema?: string[];
  readonly candidates?: string[];
  readonly data: string;
  readonly app?: string;
  readonly metric?: string;
  readonly from?: number;
  readonly to?: number;
  readonly segment: { readonly [name: string]: string };
  readonly minimum: number;
  readonly format: (typeof FORMATS)[number];
  readonly out?: string;
}

const ABOUT = ['app', 'metric', 'version', 'type', 'mechanism', 'epsilon', 'among', 'reports', 'from', 'to'] as const;
const NUMBERS = ['estimate', 'standardError', 'low', 'high', 'normSub', 'shrunk', 'smoothed', 'consistent'] as const;

/** A field of CSV (RFC 4180 §2). */
function field(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const rowOf = (about: MetricEstimates, segment: string, answer: AnswerEstimate): readonly unknown[] => [
  ...ABOUT.map((name) => about[name]),
  segment,
  answer.label,
  ...NUMBERS.map((name) => answer[name]),
];

/** A row for each answer of each metric. A metric with fewer reports than the minimum has no rows. */
function csvOf(metrics: readonly MetricEstimates[], segment: string): string {
  const rows = metrics.flatMap((about) => about.answers.map((answer) => rowOf(about, segment, answer)));
  return [[...ABOUT, 'segment', 'answer', ...NUMBERS], ...rows].map((row) => `${row.map(field).join()}\r\n`).join('');
}

function dayOption(name: string): (text: string) => number {
  return (text) => {
    const day = parseDay(text);
    if (day === undefined) throw new UsageError(`${name}: expected a day such as 2026-11-20, got ${JSON.stringify(text)}`);
    return day;
  };
}

function segmentOption(text: string, before: ExportOptions['segment']): ExportOptions['segment'] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--segment: expected name=value, got ${JSON.stringify(text)}`);
  return { ...before, [name]: value };
}

/** The metrics that are asked for. @throws {UsageError} when there are none, or one has no such segment */
function chosen(metrics: readonly PublishedMetric[], { app, metric, segment }: ExportOptions): readonly PublishedMetric[] {
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

async function estimateAll(options: ExportOptions): Promise<readonly MetricEstimates[]> {
  const { data, from, to, segment, minimum } = options;
  const { schemas, published, candidates = {} } = await load(options);
  const metrics = chosen(createCatalog(options.schema === undefined ? published : schemas).metrics, options);
  const file = join(data, DATABASE);
  if (!existsSync(file)) throw new UsageError(`${data}: expected a folder with a store, got none`);
  if (!isCurrent(file)) throw new UsageError(`${data}: expected a store of the newest version, got an older one; start the collector once`);
  const tallies = openTallies({ file });
  try {
    const all: MetricEstimates[] = [];
    for (const { app, metric, version, document, schemas: names } of metrics) {
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const evidence = await tallies.read({ schemas: names, metric, segment, ...range });
      const sought = Object.hasOwn(candidates, metric) ? (candidates[metric] ?? []) : [];
      all.push(estimate({ metric: { app, metric, version, document }, evidence, minimum, candidates: sought }));
    }
    return all;
  } finally {
    await tallies.close();
  }
}

async function run(options: ExportOptions): Promise<void> {
  const { from, to, segment, format, out } = options;
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError('--from: expected a day up to that of --to, got a later one');
  if (out !== undefined && existsSync(out)) throw new UsageError(`${out}: expected a path where no file exists, got an existing file`);
  const metrics = await estimateAll(options).catch((error: Error) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  });
  const named = Object.entries(segment).map(([name, value]) => `${name}=${value}`);
  const text = format === 'csv' ? csvOf(metrics, named.join(' ')) : `${JSON.stringify({ segment, metrics }, null, 2)}\n`;
  if (out === undefined) return void process.stdout.write(text);
  try {
    writeFileSync(out, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description('write the estimates of a store as CSV or JSON; a running collector keeps working')
    .option('--schema <file...>', 'schema modules or canonical JSON (default: those that schemas publish has put into the folder)')
    .option('--candidates <metric=file...>', 'the strings to look for in a text metric, one a line')
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--app <app>', 'metrics of this app only')
    .option('--metric <metric>', 'this metric only')
    .option('--from <day>', 'first day, such as 2026-11-01', dayOption('--from'))
    .option('--to <day>', 'last day', dayOption('--to'))
    .option('--segment <name=value>', 'reports of this segment only; may be repeated', segmentOption, {})
    .option('--minimum <n>', 'no estimates from fewer reports than this', wholeOption('--minimum', 1), 20)
    .option('--format <format>', FORMATS.join(' or '), choiceOption('--format', FORMATS), FORMATS[0])
    .option('--out <file>', 'the file to create; it must not exist (default: standard output)')
    .action(run);
}
