/** `murmuration plan`: before shipping, what a schema's metrics will show with so many reports. */

import type { Command } from 'commander';
import { type MetricPlan, type Precision, planOf, SHARE } from '../plan/plan.ts';
import { loadSchema } from '../schema-file.ts';
import { table } from './table.ts';
import { positiveOption, print, UsageError, wholeOption } from './usage.ts';

interface PlanOptions {
  readonly schema: string;
  readonly reports: number;
  readonly error: number;
  readonly json?: boolean;
}

const DEFINITIONS = {
  margin95: '1.96 standard errors of the estimate of a share of 1 %: half a 95 % interval',
  smallestShare: 'the smallest share that a two-sided test of zero at 95 % finds with a power of 80 %: f = 1.96 s(0) + 0.84 s(f)',
  epsilonForError: 'the ε of one report, by the chooser, with which as many reports have a margin95 of at most the error',
  devicesForError: 'how many devices, with one report each, have a margin95 of at most the error',
  permanent: 'the same devices, however often each reports in an epoch: their error does not fall below that of the stored symbol',
  numbers: 'mean and count: errors of the mean at the worst numbers, as shares of the width of the range',
  distribution: 'distribution: errors of the share below the middle of the range, of numbers that are spread evenly over it',
  text: 'strings: on average over the hash, where the squared shares of all strings sum to 0.05',
} as const;

const count = (n: number): string => n.toLocaleString('en');
const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}`;
const isNumber = (type: string): boolean => type === 'mean' || type === 'count';
const orNone = <T>(value: T | null, words: (value: T) => string): string => (value === null ? 'none' : words(value));

function row(name: string, type: string, mechanism: string, epsilon: number, precision: Precision, forError: string): readonly string[] {
  const { margin95, smallestShare, devicesForError } = precision;
  const smallest = orNone(smallestShare, (share) => `${percent(share)} %`);
  const margin = percent(margin95);
  const reads = isNumber(type) ? `mean ± ${margin} % of range` : type === 'distribution' ? `below middle ± ${margin}` : `1.0 % ± ${margin}`;
  const told = isNumber(type) || type === 'distribution' ? '' : smallest;
  return [name, mechanism, `${epsilon}`, reads, told, forError, orNone(devicesForError, count)];
}

function rowsOf({
  metric,
  type,
  mechanism,
  epsilon,
  epsilonForError,
  permanent,
  ...precision
}: MetricPlan): readonly (readonly string[])[] {
  const first = row(metric, type, mechanism, epsilon, precision, orNone(epsilonForError, String));
  return permanent === undefined ? [first] : [first, row('  however often', type, mechanism, permanent.epsilon, permanent, '')];
}

function describe(plans: readonly MetricPlan[], reports: number, error: number): string {
  const wanted = `± ${percent(error)}`;
  const heading = ['metric', 'mechanism', 'ε', 'used by 1 % reads as', 'told from zero', `ε for ${wanted}`, `devices for ${wanted}`];
  const notes = [
    `With ${count(reports)} reports of a metric, each from another device, a feature used by 1 % will read as:`,
    '',
    table(heading, plans.flatMap(rowsOf)),
    '',
    '± is in percentage points, half a 95 % interval (1.96 standard errors) at a true share of 1 %.',
    'told from zero: the smallest share that a two-sided test at 95 % tells from nobody, four times in five.',
    `for ${wanted}: what it would take instead, of ε with as many reports, or of devices at this ε.`,
  ];
  if (plans.some(({ permanent }) => permanent)) {
    notes.push('however often: a permanent metric keeps its randomized answer, so more reports of one device have a limit, set by ε∞.');
  }
  if (plans.some(({ type }) => isNumber(type))) {
    notes.push('Of a number the mean is estimated: ± is in percent of the width of its range, at the numbers that are the worst for it.');
  }
  if (plans.some(({ type }) => type === 'distribution')) {
    notes.push('Of a distribution, ± is of the share below the middle of its range, of numbers that are spread evenly over it.');
  }
  if (plans.some(({ mechanism }) => ['rappor', 'string-hashing'].includes(mechanism))) {
    notes.push(
      'Of strings, collisions are those of a usual list (squared shares sum to 0.05), on average over the hash.',
      'Where no number of devices is enough, collisions are the reason: a larger `devices` in the schema gives more cohorts.',
    );
  }
  return notes.join('\n');
}

async function plan({ schema, reports, error, json }: PlanOptions): Promise<void> {
  if (error >= 1) throw new UsageError(`--error: expected a share below 1, such as 0.01 for one percentage point, got ${error}`);
  const plans = planOf(await loadSchema(schema), reports, error);
  print(json, { reports, error, share: SHARE, definitions: DEFINITIONS, metrics: plans }, () => describe(plans, reports, error));
}

export function addPlan(program: Command): void {
  program
    .command('plan')
    .description('before shipping: what so many reports will show')
    .requiredOption('--schema <file>', 'a schema module or canonical JSON')
    .requiredOption('--reports <n>', 'reports of each metric, one from each device', wholeOption('--reports', 1, 2 ** 40))
    .option('--error <share>', 'the wanted margin: half a 95 % interval, 0.01 for one percentage point', positiveOption('--error'), 0.01)
    .option('--json', 'one JSON document on standard output')
    .action(plan);
}
