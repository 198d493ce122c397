/** `murmuration plan`: how many users a question needs before it ships, and what a schema's metrics will show. */

import { readFileSync } from 'node:fs';
import { kinds, type QuestionType, type SchemaDocument } from '@murmuration/shared';
import type { Command } from 'commander';
import { Failure, UsageError } from '../base/fault.ts';
import { count, roundUp } from '../base/numbers.ts';
import { positiveOption, print, shareOption, unreadBecause, wholeOption } from '../base/usage.ts';
import type { Asking } from '../estimation/questions.ts';
import { presentationOf } from '../estimation/questions.ts';
import { type AskedShares, askedOf } from '../planning/plan/asked.ts';
import { type MetricPlan, type Precision, planOf, SHARE, type Splitting, splittingOf } from '../planning/plan/plan.ts';
import { askedTypes, QUESTIONS, questionOptions } from '../planning/plan/question.ts';
import { type Relayed, relayedOf } from '../planning/plan/relayed.ts';
import { type Wishes, wishesOf } from '../planning/plan/wishes.ts';
import { loadSchema } from '../schemas/schema-file.ts';
import { describeQuestion, describeWishes, goal, hundredths, legend, needed, orNone, planQuestion, reading } from './plan-words.ts';
import { table } from './table.ts';

interface PlanOptions extends Partial<Asking> {
  readonly schema?: string;
  readonly users?: number;
  readonly reports?: number;
  readonly share: number;
  readonly error: number;
  readonly json?: boolean;
  readonly experiment?: boolean;
  readonly wishes?: string;
  readonly relay?: boolean;
}

/** δ of what a relay gains. */
const DELTA = 1e-8;

const DEFINITIONS = {
  users: 'how many report, each once; those not asked among them',
  usersNeeded: 'with so many, margin95 is at most the error; null when no number is enough',
  margin95: '1.96 standard errors of the estimate of the share among all users, noise and sampling: half a 95 % interval',
  smallestShare:
    'the smallest share that a test of zero finds with a power of 80 %, at 5 % over the answers that are tested (Bonferroni): exact of small counts, else f = z s(0) + 0.84 s(f)',
  tested: 'how many answers are tested together; of texts, so many candidates',
  epsilonForError: 'the ε of one report, by the chooser, with which as many reports have a margin95 of at most the error',
  devicesForError: 'how many users, those not asked among them, have a margin95 of at most the error',
  suggested: 'of a text whose cohorts are too few: the `devices` of a schema with enough of them for the error; null when none are',
  asked: 'the share of devices that are asked the metric: 1, or less where `assign` gives each device a random part of the metrics',
  askedStandardError: 'of asked: 0 where it is exact, else that of a simulation with a fixed seed',
  splitting:
    'every device asked everything instead, each ε times scale so that it fits: by how much a margin95 would be wider, least and most',
  permanent: 'the same devices, however often each reports in an epoch: their error does not fall below that of the stored symbol',
  numbers: 'mean and count: errors of the mean at the worst numbers, as shares of the width of the range',
  distribution: 'distribution: errors of the share below the middle of the range, of numbers that are spread evenly over it',
  experiment:
    'the least difference between two arms of half of the users each that is found with a power of 80 %, at the share, by one look at the end: with the arm as a segment in clear by a two-sided test at 5 % over the answers that are compared (Holm), and in a joint question by the test of independence at 5 %',
  relayed:
    'with --relay: the ε of a report (δ 1e-8) if nobody knows its sender and all users are honest, and how many times as wide margin95 would be of a local question of that ε',
  text: 'strings: on average over the hash, where the squared shares of all strings sum to 0.05',
} as const;

function row(
  name: string,
  type: QuestionType,
  share: number,
  mechanism: string,
  epsilon: number,
  asked: readonly string[],
  precision: Precision,
  forError: string,
): readonly string[] {
  const { smallestShare, devicesForError } = precision;
  const smallest = orNone(smallestShare, (found) => `${hundredths(found)} %`);
  const told = kinds[type].estimates === 'shares' ? smallest : '';
  return [name, mechanism, `${epsilon}`, ...asked, reading(type, share, precision), told, forError, orNone(devicesForError, count)];
}

/** The rows of a metric; under `assign`, with the share of devices that are asked it. */
function rowsOf(
  { metric, type, mechanism, epsilon, epsilonForError, permanent, asked, ...precision }: MetricPlan,
  isAssigned: boolean,
  share: number,
): readonly (readonly string[])[] {
  const part = isAssigned ? [`${Math.round(100 * asked)} %`] : [];
  const first = row(metric, type, share, mechanism, epsilon, part, precision, orNone(epsilonForError, String));
  if (permanent === undefined) return [first];
  return [first, row('  however often', type, share, mechanism, permanent.epsilon, isAssigned ? [''] : [], permanent, '')];
}

/** Notes for schemas in which each device is asked a random subset of the metrics. */
function assignment({ standardError }: AskedShares, splitting: Splitting | undefined): readonly string[] {
  const how = standardError > 0 ? 'by a simulation with a fixed seed, to half a percentage point (4 standard errors)' : 'exactly';
  const [least, most] = splitting?.wider.map((times) => times.toPrecision(2)) ?? [];
  return [
    `asked of: the share of devices in whose random order the metric fits the budget, ${how}; the rest of the row is of their reports.`,
    ...(splitting
      ? [
          `Were all devices asked everything, at ε times ${hundredths(splitting.scale / 100)} so that it fits, ± would be ${least} to ${most} times as wide.`,
        ]
      : []),
  ];
}

/** The users that bring every metric within the error, and the metric that needs the most; null when some metric has no such number. */
function mostOf(plans: readonly MetricPlan[]): { readonly users: number | null; readonly metric: string } {
  const worst = plans.reduce((most, each) =>
    (each.devicesForError ?? Number.POSITIVE_INFINITY) > (most.devicesForError ?? Number.POSITIVE_INFINITY) ? each : most,
  );
  return { users: worst.devicesForError, metric: worst.metric };
}

/** Suggestions for texts with too few cohorts. */
const suggestions = (plans: readonly MetricPlan[], error: number): readonly string[] =>
  plans.flatMap(({ metric, suggested }) =>
    suggested === undefined
      ? []
      : suggested === null
        ? [`${metric}: no number of users is enough for ± ${hundredths(error)}, for texts look alike too often. A larger error or ε helps.`]
        : [
            `${metric}: with \`devices: ${suggested.devices}\` in the schema, reports are spread over ${count(suggested.cohorts)} groups (cohorts) that mix up different`,
            `   texts; then ${count(suggested.devices)} users are enough for ± ${hundredths(error)}.`,
          ],
  );

function describe(
  plans: readonly MetricPlan[],
  users: number,
  { error, share }: Pick<PlanOptions, 'error' | 'share'>,
  asked: AskedShares | undefined,
  splitting: Splitting | undefined,
): string {
  const wanted = `± ${hundredths(error)}`;
  const { users: most, metric } = mostOf(plans);
  const types = plans.map(({ type }) => type);
  const isShare = (type: QuestionType): boolean => kinds[type].estimates === 'shares';
  const target = goal(types.find(isShare) ?? (types[0] as QuestionType), share, error);
  const heading = [
    'metric',
    'mechanism',
    'ε',
    ...(asked ? ['asked of'] : []),
    `${hundredths(share)} % reads as`,
    'told from zero',
    `ε for ${wanted}`,
    `users for ${wanted}`,
  ];
  return [
    needed(
      most,
      plans.length === 1
        ? target
        : `${target} in every metric: \`${metric}\` ${most === null ? 'has too few cohorts (see below)' : 'needs the most'}`,
    ),
    asked ? `With ${count(users)} users, each asked a random part of the metrics:` : `With ${count(users)} users, each answering once:`,
    '',
    table(
      heading,
      plans.flatMap((each) => rowsOf(each, asked !== undefined, share)),
    ),
    '',
    ...suggestions(plans, error),
    ...(asked ? assignment(asked, splitting) : []),
    ...legend(
      types,
      plans.map(({ tested }) => tested),
      share,
    ),
    `for ${wanted}: what it would take instead, of ε (less privacy) with as many users, or of users at this ε.`,
    ...(plans.some(({ permanent }) => permanent)
      ? ['however often: a permanent metric keeps its randomized answer, so more reports of one user have a limit, set by ε∞.']
      : []),
    ...(plans.some(({ type }) => presentationOf(type).isText)
      ? ['Shares of texts are as on a usual list (their squares sum to 0.05), on average over the hash.']
      : []),
  ].join('\n');
}

/** Notes on what a relay would gain. */
const relayWords = (relayed: readonly Relayed[], users: number): readonly string[] => [
  '',
  `Through a relay that does not work with the collector, with reports: 'alone', if all ${count(users)} are honest, report with the same day and segments, and their times tell nothing:`,
  ...(relayed.length === 0 ? ['nothing is gained, for reports of a permanent metric belong together.'] : []),
  ...relayed.map(
    ({ metric, epsilon, shuffled, wider }) =>
      `${metric}: ε ${roundUp(shuffled)} (δ ${DELTA}) beside the unconditional ε ${epsilon}.${wider === null ? '' : ` A question of ε ${roundUp(shuffled)} without a relay would be ${wider.toPrecision(2)} times as uncertain.`}`,
  ),
];

async function planSchema(file: string, { users: given, error, share, relay, json }: PlanOptions): Promise<void> {
  const document: SchemaDocument = await loadSchema(file);
  const asked = askedOf(document);
  const users = given ?? document.devices;
  const plans = planOf(document, users, error, asked, share);
  const splitting = document.assign && splittingOf(document, plans, users, share);
  const { standardError: askedStandardError } = asked;
  const assigned = document.assign && { assign: document.assign, askedStandardError, ...(splitting && { splitting }) };
  const relayed = relay ? relayedOf(document, plans, share, DELTA) : undefined;
  const value = { users, error, share, usersNeeded: mostOf(plans).users, definitions: DEFINITIONS, ...assigned, metrics: plans };
  print(json, { ...value, ...(relayed && { relayed }) }, () =>
    [describe(plans, users, { error, share }, document.assign && asked, splitting), ...(relayed ? relayWords(relayed, users) : [])].join(
      '\n',
    ),
  );
}

/** The wishes of a file, JSON such as `{ "plan": "1%", "darkMode": 0.005 }`: the error that is wanted of each metric. */
function wishesIn(file: string): ReadonlyMap<string, number> {
  const expected = '--wishes: expected JSON of metrics and errors, such as { "plan": "1%" }';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--wishes: ${unreadBecause(error)}`);
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new UsageError(`${expected}, got something else in ${file}`);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found) || Object.keys(found).length === 0)
    throw new UsageError(`${expected}, got ${JSON.stringify(found)?.slice(0, 80)}`);
  return new Map(Object.entries(found).map(([name, error]) => [name, shareOption(`--wishes: ${name}`)(String(error))]));
}

async function planWishes(file: string, schema: string, { users: given, share, json }: PlanOptions): Promise<void> {
  const document = await loadSchema(schema);
  const wanted = new Map([...wishesIn(file)].map(([name, error]) => [name, { error, share }]));
  let found: Wishes;
  try {
    found = wishesOf(document, wanted, given ?? document.devices);
  } catch (thrown) {
    throw thrown instanceof RangeError ? new UsageError(`--${thrown.message}`) : thrown;
  }
  print(json, found, () => describeWishes(found));
  const missed = found.metrics.filter(({ needed }) => needed === null).map(({ metric }) => metric);
  if (missed.length > 0)
    throw new Failure(`No ε up to 16 meets what is wished for ${missed.join(', ')} with ${count(found.devices)} users.`);
}

/** The only question that the options ask. */
function askingOf(options: PlanOptions): Asking {
  const types = askedTypes(options);
  const got = types.map((type) => `--${type}`).join(' and ') || 'none';
  if (types.length !== 1) throw new UsageError(`expected --schema FILE, or one question of ${QUESTIONS}, got ${got}`);
  const { epsilon, permanent, atMost } = options;
  if (epsilon === undefined) throw new UsageError(`--epsilon: expected the ε of one report with ${got}, such as 1, got none`);
  if (permanent !== undefined && permanent < epsilon)
    throw new UsageError(`--permanent: expected at least --epsilon, ${epsilon}, got ${permanent}`);
  if (options.choices !== undefined && atMost === undefined)
    throw new UsageError('--choices: expected --at-most with it, how many of them one user can give, got none');
  if (options.choices === undefined && atMost !== undefined) throw new UsageError(`--at-most: expected --choices with it, got ${got}`);
  return { ...options, epsilon };
}

async function plan({ reports, ...options }: PlanOptions): Promise<void> {
  const { schema, users = reports, error, share, json } = options;
  if (options.users !== undefined && reports !== undefined)
    throw new UsageError(`--reports: expected none with --users, which is another name for it, got ${reports}`);
  if (options.experiment && (schema !== undefined || users === undefined))
    throw new UsageError('--experiment: expected one question, and --users with it, how many both arms have together');
  if (options.wishes !== undefined && schema === undefined)
    throw new UsageError('--wishes: expected --schema FILE with it, whose metrics the wishes name, got none');
  if (options.relay && (schema === undefined || options.wishes !== undefined))
    throw new UsageError('--relay: expected --schema FILE with it, and no --wishes');
  if (schema !== undefined) {
    const [other] = [...askedTypes(options), ...(['epsilon', 'permanent'] as const).filter((name) => options[name] !== undefined)];
    if (other !== undefined) throw new UsageError(`--${other}: expected none with --schema, whose metrics are planned, got one`);
    const chosen = { ...options, ...(users !== undefined && { users }) };
    return options.wishes === undefined ? planSchema(schema, chosen) : planWishes(options.wishes, schema, chosen);
  }
  const asking = askingOf(options);
  try {
    const found = planQuestion(asking, { error, share }, users, options.experiment);
    print(json, { ...found, definitions: DEFINITIONS }, () => describeQuestion(found, users));
  } catch (thrown) {
    if (thrown instanceof RangeError)
      throw new UsageError(thrown.message.replace(/^schema\.(metrics\.question: )?/, '').replace('atMost', '--at-most'));
    throw thrown;
  }
}

export function addPlan(program: Command): void {
  const command = program
    .command('plan')
    .description('before you ship: how many users a question needs, and what its error will be')
    .option('--schema <file>', 'a schema module or canonical JSON; or describe one question instead:');
  for (const [flags, description, read] of questionOptions()) {
    if (read) command.option(flags, description, read);
    else command.option(flags, description);
  }
  command
    .option('--epsilon <e>', 'ε of one report: the smaller, the more noise', positiveOption('--epsilon'))
    .option(
      '--permanent <e>',
      'ε∞ of a permanent question: the device keeps one randomized answer and reports it repeatedly',
      positiveOption('--permanent'),
    )
    .option('--users <n>', 'how many users report, once each (default with --schema: its `devices`)', wholeOption('--users', 1, 2 ** 40))
    .option('--reports <n>', 'the same as --users: the reports of a metric, one of each user', wholeOption('--reports', 1, 2 ** 40))
    .option('--share <share>', 'the share of users to estimate', shareOption('--share'), SHARE)
    .option('--error <share>', 'the largest error wanted, ± half a 95 % interval, in percentage points', shareOption('--error'), 0.01)
    .option('--experiment', 'also which difference between two arms, of half of the users each, is found')
    .option(
      '--wishes <file>',
      'with --schema: JSON of metrics and the error that is wished for each; prints the smallest budget that meets all',
    )
    .option('--relay', 'with --schema: also what a relay, which hides who sends, would gain')
    .option('--json', 'print one JSON document on standard output')
    .action(plan);
}
