/** `murmuration plan`: before shipping, what a schema's metrics will show with so many reports. */

import type { Command } from 'commander';
import { type Asked, askedOf } from '../plan/asked.ts';
import { type MetricPlan, type Precision, planOf, SHARE } from '../plan/plan.ts';
import { type Splitting, splittingOf } from '../plan/splitting.ts';
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
  margin95: '1.96 standard errors of the estimate of a share of 1 % among all users, noise and sampling: half a 95 % interval',
  smallestShare: 'the smallest share that a two-sided test of zero at 95 % finds with a power of 80 %: f = 1.96 s(0) + 0.84 s(f)',
  epsilonForError: 'the ε of one report, by the chooser, with which as many reports have a margin95 of at most the error',
  devicesForError: 'how many devices, those not asked among them, have a margin95 of at most the error',
  asked: 'the share of devices that are asked the metric: 1, or less where `assign` gives each device a random part of the metrics',
  askedStandardError: 'of asked: 0 where it is exact, else that of a simulation with a fixed seed',
  splitting:
    'every device asked everything instead, each ε times scale so that it fits: by how much a margin95 would be wider, least and most',
  permanent: 'the same devices, however often each reports in an epoch: their error does not fall below that of the stored symbol',
  numbers: 'mean and count: errors of the mean at the worst numbers, as shares of the width of the range',
  distribution: 'distribution: errors of the share below the middle of the range, of numbers that are spread evenly over it',
  text: 'strings: on average over the hash, where the squared shares of all strings sum to 0.05',
} as const;

const count = (n: number): string => n.toLocaleString('en');
const percent = (share: number): string => `${Number((100 * share).toPrecision(2))}`;
const isNumber = (type: string): boolean => type === 'mean' || type === 'count';
const orNone = <T>(value: T | null, words: (value: T) => string): string => (value === null ? 'none' : words(value));

function row(
  name: string,
  type: string,
  mechanism: string,
  epsilon: number,
  asked: readonly string[],
  precision: Precision,
  forError: string,
): readonly string[] {
  const { margin95, smallestShare, devicesForError } = precision;
  const smallest = orNone(smallestShare, (share) => `${percent(share)} %`);
  const margin = percent(margin95);
  const reads = isNumber(type) ? `mean ± ${margin} % of range` : type === 'distribution' ? `below middle ± ${margin}` : `1.0 % ± ${margin}`;
  const told = isNumber(type) || type === 'distribution' ? '' : smallest;
  return [name, mechanism, `${epsilon}`, ...asked, reads, told, forError, orNone(devicesForError, count)];
}

/** The rows of a metric: under `assign` with the share of devices that are asked it. */
function rowsOf(
  { metric, type, mechanism, epsilon, epsilonForError, permanent, asked, ...precision }: MetricPlan,
  isAssigned: boolean,
): readonly (readonly string[])[] {
  const share = isAssigned ? [`${Math.round(100 * asked)} %`] : [];
  const first = row(metric, type, mechanism, epsilon, share, precision, orNone(epsilonForError, String));
  if (permanent === undefined) return [first];
  return [first, row('  however often', type, mechanism, permanent.epsilon, isAssigned ? [''] : [], permanent, '')];
}

/** What is to be known where each device is asked a random part of the metrics. */
function assignment({ standardError }: Asked, splitting: Splitting | undefined): readonly string[] {
  const how = standardError > 0 ? 'by a simulation with a fixed seed, to half a percentage point (4 standard errors)' : 'exactly';
  const [least, most] = splitting?.wider.map((times) => times.toPrecision(2)) ?? [];
  return [
    `asked of: the share of devices in whose random order the metric fits the budget, ${how}; the rest of the row is of their reports.`,
    ...(splitting
      ? [
          `Were all devices asked everything, at ε times ${percent(splitting.scale / 100)} so that it fits, ± would be ${least} to ${most} times as wide.`,
        ]
      : []),
  ];
}

function describe(
  plans: readonly MetricPlan[],
  reports: number,
  error: number,
  asked: Asked | undefined,
  splitting: Splitting | undefined,
): string {
  const wanted = `± ${percent(error)}`;
  const part = asked ? ['asked of'] : [];
  const heading = [
    'metric',
    'mechanism',
    'ε',
    ...part,
    'used by 1 % reads as',
    'told from zero',
    `ε for ${wanted}`,
    `devices for ${wanted}`,
  ];
  const notes = [
    asked
      ? `With ${count(reports)} devices, each asked a random part of the metrics, a feature used by 1 % of all users will read as:`
      : `With ${count(reports)} reports of a metric, each from another device, a feature used by 1 % of all users will read as:`,
    '',
    table(
      heading,
      plans.flatMap((each) => rowsOf(each, asked !== undefined)),
    ),
    '',
    ...(asked ? assignment(asked, splitting) : []),
    '± is in percentage points, half a 95 % interval (1.96 standard errors) at a true share of 1 %.',
    'It is about all users: it allows for the noise, and for who happens to report, taken to be a random sample.',
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
  const document = await loadSchema(schema);
  const asked = askedOf(document);
  const plans = planOf(document, reports, error, asked);
  const splitting = document.assign && splittingOf(document, plans, reports, SHARE);
  const { standardError: askedStandardError } = asked;
  const assigned = document.assign && { assign: document.assign, askedStandardError, ...(splitting && { splitting }) };
  const value = { reports, error, share: SHARE, definitions: DEFINITIONS, ...assigned, metrics: plans };
  print(json, value, () => describe(plans, reports, error, document.assign && asked, splitting));
}

export function addPlan(program: Command): void {
  program
    .command('plan')
    .description('before shipping: what so many reports will show')
    .requiredOption('--schema <file>', 'a schema module or canonical JSON')
    .requiredOption(
      '--reports <n>',
      'reports of each metric, one from each device; under assign, devices',
      wholeOption('--reports', 1, 2 ** 40),
    )
    .option('--error <share>', 'the wanted margin: half a 95 % interval, 0.01 for one percentage point', positiveOption('--error'), 0.01)
    .option('--json', 'one JSON document on standard output')
    .action(plan);
}
