/** `murmuration export`: the estimates of a store as CSV or JSON. It only reads what is folded, so a collector may be running. */

import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type AnswerEstimate, estimate, type MetricEstimates } from '../answers/estimates.ts';
import { wantedIn } from '../answers/rows.ts';
import { field, RAW_OPTION, rawField, type WriteField } from '../base/csv.ts';
import { asUsage, Failure, UsageError } from '../base/fault.ts';
import { count } from '../base/numbers.ts';
import { choiceOption, wholeOption } from '../base/usage.ts';
import { load } from './serve.ts';
import { fromStore, leftOut, metricsOf } from './stored.ts';
import { addStored, type StoredOptions } from './stored-options.ts';

const FORMATS = ['csv', 'json'] as const;

interface ExportOptions extends StoredOptions {
  readonly candidates?: string[];
  readonly minimum: number;
  readonly format: (typeof FORMATS)[number];
  readonly raw?: true;
  readonly out?: string;
}

const ABOUT = ['app', 'metric', 'version', 'type', 'mechanism', 'epsilon', 'among', 'reports', 'from', 'to'] as const;
const NUMBERS = ['estimate', 'standardError', 'low', 'high', 'normSub', 'shrunk', 'smoothed', 'smoothedLow', 'smoothedHigh'] as const;

const rowOf = (about: MetricEstimates, segment: string, answer: AnswerEstimate): readonly unknown[] => [
  ...ABOUT.map((name) => about[name]),
  (about.excluded ?? []).map(({ from, to }) => (from === to ? from : `${from}..${to}`)).join(' '),
  segment,
  answer.label,
  ...NUMBERS.map((name) => answer[name]),
];

/** A row for each answer of each metric. A metric with fewer reports than the minimum has no rows. */
function csvOf(metrics: readonly MetricEstimates[], segment: string, write: WriteField): string {
  const rows = metrics.flatMap((about) => about.answers.map((answer) => rowOf(about, segment, answer)));
  return [[...ABOUT, 'excluded', 'segment', 'answer', ...NUMBERS], ...rows].map((row) => `${row.map(write).join()}\r\n`).join('');
}

async function estimateAll(options: ExportOptions): Promise<readonly MetricEstimates[]> {
  const loaded = await load(options);
  const { candidates = {} } = loaded;
  const selected = metricsOf(options, loaded);
  for (const [schema, reports] of await leftOut(options, selected))
    process.stderr.write(`murmuration: ${count(reports)} reports of ${schema} are left out: pass its file with --schema\n`);
  return fromStore(options, selected, ({ metric, evidence }) => {
    const sought = Object.hasOwn(candidates, metric.metric) ? (candidates[metric.metric] ?? []) : [];
    const request = { metric, evidence, minimum: options.minimum, candidates: sought };
    return estimate({ ...request, candidates: wantedIn(request) });
  });
}

async function run(options: ExportOptions): Promise<void> {
  const { segment, format, raw, out } = options;
  if (out !== undefined && existsSync(out)) throw new UsageError(`${out}: expected a path where no file exists, got an existing file`);
  const metrics = await estimateAll(options).catch(asUsage);
  const few = metrics.filter(({ reports, minimum }) => reports < minimum).map(({ metric }) => metric);
  if (format === 'csv' && few.length > 0)
    process.stderr.write(`murmuration: no rows of ${few.join(', ')}: fewer reports than the ${options.minimum} of --minimum\n`);
  const named = Object.entries(segment).map(([name, value]) => `${name}=${value}`);
  const text =
    format === 'csv' ? csvOf(metrics, named.join(' '), raw ? rawField : field) : `${JSON.stringify({ segment, metrics }, null, 2)}\n`;
  if (out === undefined) return void process.stdout.write(text);
  try {
    writeFileSync(out, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Failure((error as Error).message);
  }
}

export function addExport(program: Command): void {
  const command = program.command('export').description('write the estimates of a store as CSV or JSON; a running collector keeps working');
  addStored(command)
    .option('--candidates <metric=file...>', 'the strings to look for in a text metric, one a line')
    .option(
      '--minimum <n>',
      'no estimates from fewer reports than this; for readability, it hides nothing',
      wholeOption('--minimum', 1),
      20,
    )
    .option('--format <format>', FORMATS.join(' or '), choiceOption('--format', FORMATS), FORMATS[0])
    .option(...RAW_OPTION)
    .option('--out <file>', 'the file to create; it must not exist (default: standard output)')
    .action(run);
}
