/**
 * `murmuration audit`: what a schema's integers spend, compared with its claims; what ε does not cover; the privacy statement. With `--url`, a
 * deployed app, checked by what it does.
 */

import { isNumberLaw, type MetricDocument, type SchemaDocument, wireName } from '@murmuration/shared';
import type { Command } from 'commander';
import { UsageError } from '../base/fault.ts';
import { count, roundDown, roundUp } from '../base/numbers.ts';
import { print, shareOption, wholeOption } from '../base/usage.ts';
import { shiftOf } from '../estimation/watch/watch.ts';
import { auditOf } from '../planning/audit/audit.ts';
import { certificateOf } from '../planning/audit/certificate.ts';
import { type Empirical, empiricalOf } from '../planning/audit/empirical.ts';
import { type Linkability, linkabilityOf } from '../planning/audit/linkability.ts';
import { type Shuffled, shuffledOf } from '../planning/audit/shuffled.ts';
import { type MetricSpending, type Spending, spendingOf, upTo3 } from '../planning/audit/spending.ts';
import { statementOf, versionsBefore } from '../planning/audit/statement.ts';
import { linkageWords, type Warning, warningsOf } from '../planning/audit/warnings.ts';
import { loadUnproven } from '../schemas/schema-file.ts';
import { addPapers, type PaperOptions, printPapers } from './audit-papers.ts';
import { addPage, auditPage, type PageOptions } from './audit-url.ts';
import { table } from './table.ts';

interface AuditOptions extends PaperOptions, PageOptions {
  readonly schema?: string;
  readonly history?: readonly string[];
  readonly certificate?: boolean;
  readonly empirical?: number;
  readonly devices?: number;
  readonly together?: number;
  readonly delta: number;
  readonly exact?: boolean;
}

/** Writes an ε. */
type Write = (epsilon: string) => string;

function row(
  write: Write,
  document: SchemaDocument,
  { metric, mechanism, report, times, window, recorded, year, life, epoch, holds }: MetricSpending,
): string[] {
  const question = document.metrics[metric] as MetricDocument;
  const { epsilon, permanent, law } = question;
  const claimed = permanent === undefined ? `${epsilon}` : `${epsilon}, epoch ${permanent.epsilon}`;
  const shift = shiftOf(law, 0.01);
  const moved = shift === undefined ? '' : `${(100 * shift).toFixed(1)} ${isNumberLaw(law) ? '% of the range' : 'points'}`;
  return [
    metric,
    mechanism,
    write(report.epsilon),
    claimed,
    epoch ? write(epoch.epsilon) : '',
    `${times}`,
    ...[window.epsilon, recorded.epsilon, year, life].map(write),
    holds ? 'holds' : 'EXCEEDED',
    moved,
  ];
}

/** How reports leave a device, and who can join which of them. */
const SENDING = {
  alone: 'each report is a batch of its own, and the times of batches hardly tell which are of one device',
  together: 'the reports of one batch are known to be of one device, and batches of one visit arrive close together',
} as const;

/** Those who can join batches by their addresses. */
const ADDRESSES = {
  direct: 'Anyone who sees addresses can join the batches of an address',
  relay: 'Only a relay brings them, which sees addresses and not what is sent; with its help the batches of an address can be joined',
} as const;

function describe(
  document: SchemaDocument,
  sha256: string,
  spending: Spending,
  linkability: Linkability,
  { exact, acceptLarge }: Pick<AuditOptions, 'exact' | 'acceptLarge'>,
): string {
  const { budget, assign } = document;
  const { metrics, all, window, holds } = spending;
  const write: Write = exact ? (epsilon) => epsilon : upTo3;
  const rows = metrics.map((each) => row(write, document, each));
  const warnings = warningsOf(document, spending, linkability);
  return [
    `schema       ${wireName(document)}`,
    `fingerprint  ${sha256}`,
    '',
    table(
      [
        'metric',
        'mechanism',
        'ε a report',
        'claimed',
        'ε an epoch',
        'times',
        `ε a ${budget.per}`,
        'of recording',
        'ε a year',
        'in ten',
        '',
        '1 % crafted moves',
      ],
      rows,
    ),
    '',
    `any ${budget.per}: ε ${write(window)} of a budget of ${budget.epsilon}: ${holds ? 'every claim holds' : 'A CLAIM IS EXCEEDED'}`,
    ...(assign
      ? [`assign ${assign}: a device answers only metrics that fit the budget together; all of them would spend ε ${write(all.epsilon)}`]
      : []),
    `any ${budget.per} of days of recording, which may touch one slot more of a metric: ε ${write(spending.recorded.epsilon)}`,
    `any 365 days: ε ${write(spending.year)}; any 3,650 days: ε ${write(spending.life)}${versionsBefore(spending)}`,
    '',
    `reports ${document.reports}: ${SENDING[document.reports]}. ${ADDRESSES[document.relay ? 'relay' : 'direct']}.`,
    `linkability: ${linkageWords(document, linkability)}`,
    '',
    ...warnings.map(({ words }) => `warning: ${words}`),
    ...(!acceptLarge && isLarge(warnings) ? ['A LARGE ε IS NOT ACCEPTED: ask for less, or say --accept-large'] : []),
    '',
    statementOf(document, spending),
  ].join('\n');
}

const rounded = (epsilon: number): string => epsilon.toFixed(4);

function describeTest({ runs, probability, metrics }: Empirical): string {
  const rows = metrics.map(({ metric, of, values: [likely, other], tried, estimate, lowerBound, claim, holds }) => [
    metric,
    of === 'epoch' ? 'an epoch' : 'a report',
    `${JSON.stringify(likely)} over ${JSON.stringify(other)}`,
    `${tried.values}${tried.of === null ? '' : ` of ${tried.of}`}`,
    estimate === null ? '' : rounded(estimate),
    rounded(lowerBound),
    `${claim}`,
    holds ? 'holds' : 'EXCEEDED',
  ]);
  return [
    `Test of the randomizers in @murmuration/client, with ${count(runs)} runs of each of two values: those, of all that are tried, whose reports differ most. Half of them choose an event, the others count it.`,
    '',
    table(['metric', 'ε of', 'values', 'tried', 'ε at the event', 'at least', 'claimed', ''], rows),
    'Tried, all with each other, are every answer of a list of up to 16 and four of a longer one, four numbers of a range, two sets of each size, and strings of lengths 0, 1, 2, 8 and 100. Not tried is every other value, and what several reports of a device tell together.',
    `If every claim is kept, the probability that any bound of this table exceeds its claim is at most ${probability}. A bound below its claim is no proof.`,
  ].join('\n');
}

function describeShuffled({ together, delta, metrics, days }: Shuffled, spending: Spending): string {
  return [
    `If a relay hides who sends, neither it nor an issuer of tokens works with the collector, at least ${count(together)} honest devices report with the same version, day and segments, and times of arrival tell nothing, a report is one of so many, and has a smaller ε as well (δ ${delta}):`,
    '',
    table(
      ['metric', 'ε a report, unconditional', 'ε, shuffled', 'at least'],
      metrics.map(({ metric, local, shuffled, least }) => [
        metric,
        upTo3(local),
        shuffled === undefined ? 'ε an epoch only' : roundUp(shuffled),
        least === undefined ? '' : roundDown(least),
      ]),
    ),
    '',
    days === undefined
      ? 'What several versions spend in 30 or 365 days is not added up here: the unconditional figures above hold.'
      : `any 30 days: unconditional ε ${upTo3(spending.month)}, shuffled ${roundUp(days.month)}; any 365 days: ${upTo3(spending.year)}, shuffled ${roundUp(days.year)}`,
  ].join('\n');
}

/** The versions that devices had before this one. */
async function loadBefore(files: readonly string[], { app }: SchemaDocument): Promise<readonly SchemaDocument[]> {
  const versions: SchemaDocument[] = [];
  for (const file of files) versions.push(await loadUnproven(file, '--history'));
  const other = versions.find((version) => version.app !== app);
  if (other) throw new UsageError(`--history: expected versions of the app ${app}, got one of ${other.app}`);
  return versions;
}

const isLarge = (warnings: readonly Warning[]): boolean => warnings.some(({ kind }) => kind === 'large-epsilon');

async function audit(options: AuditOptions): Promise<void> {
  const {
    schema,
    url,
    bundle,
    history = [],
    certificate,
    empirical: runs,
    devices,
    together,
    delta,
    acceptLarge,
    statement,
    dpia,
    config,
    json,
  } = options;
  const subjects = [schema, url, bundle].filter((each) => each !== undefined).length;
  if (subjects !== 1)
    throw new UsageError(`audit: expected one of --schema, --url and --bundle, got ${subjects === 0 ? 'none' : subjects}`);
  if (schema === undefined) return auditPage(options);
  if (certificate && runs !== undefined) throw new UsageError('--empirical: expected no --certificate beside it, got both');
  if (config !== undefined && !dpia) throw new UsageError('--config: expected --dpia with it, got none');
  const document = await loadUnproven(schema);
  const spending = spendingOf(document, await loadBefore(history, document));
  if (!spending.holds) process.exitCode = 1;
  if (certificate) return print(true, await certificateOf(document, spending), () => '');
  const linkability = linkabilityOf(document, devices);
  if (statement || dpia) return printPapers(document, spending, linkability, options);
  if (!acceptLarge && isLarge(warningsOf(document, spending, linkability))) process.exitCode = 1;
  const value = await auditOf(document, spending, linkability);
  const empirical = runs === undefined ? undefined : empiricalOf(document, runs);
  if (empirical?.holds === false) process.exitCode = 1;
  const crowd = together ?? document.together;
  if (crowd !== undefined && document.reports !== 'alone')
    throw new UsageError(
      `--together: expected a schema with reports: 'alone', since the reports of one batch are known to be of one device, got '${document.reports}'`,
    );
  const shuffled = crowd === undefined ? undefined : shuffledOf(document, spending, crowd, delta);
  print(json, { ...value, ...(shuffled && { shuffled }), ...(empirical && { empirical }) }, () =>
    [
      describe(document, value.fingerprint, spending, linkability, options),
      ...(shuffled ? ['', describeShuffled(shuffled, spending)] : []),
      ...(empirical ? ['', describeTest(empirical)] : []),
    ].join('\n'),
  );
}

export function addAudit(program: Command): void {
  const command = program
    .command('audit')
    .description(
      'compute what a schema spends from its exact integers, compare it with its claims, and print the privacy statement; or, with --url, check a deployed app by what it does',
    )
    .option(
      '--schema <file>',
      'canonical JSON (`murmuration schema --document` prints it), which is best for a review; or a module, which is run',
    )
    .option(
      '--history <file...>',
      'the versions that devices had before it, oldest first: the ε of 365 days and of 3,650 days includes them',
    )
    .option('--certificate', 'print the exact ratios as JSON, for another program to verify')
    .option(
      '--empirical <runs>',
      'also run the randomizers so often with each of two values, and print lower confidence bounds on ε',
      wholeOption('--empirical', 1_000, 10_000_000),
    )
    .option(
      '--devices <n>',
      'devices that report on a day, for the linkability (default: those of the schema)',
      wholeOption('--devices', 1),
    )
    .option(
      '--together <n>',
      'also print the ε of reports whose sender nobody knows, if so many honest devices report with the same version, day and segments (default: `together` of the schema)',
      wholeOption('--together', 1, 2 ** 32),
    )
    .option('--delta <δ>', 'δ of --together', shareOption('--delta'), 1e-8)
    .option('--accept-large', 'accept an ε above 3 a report or 8 a month; without it, such a schema exits 1')
    .option('--exact', 'print all twelve decimals of each ε, instead of three')
    .option('--json', 'print one JSON document on standard output')
    .action(audit);
  addPapers(command);
  addPage(command);
}
