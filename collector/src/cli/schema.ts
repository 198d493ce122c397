/** `murmuration schema`: a schema's canonical JSON, its names and its charges; and whether it may replace another version. */

import {
  type Charge,
  canonicalSchema,
  chargesOf,
  fingerprint,
  lnUp,
  type MetricDocument,
  mechanismOf,
  type SchemaDocument,
  sumOf,
  wireName,
} from '@murmuration/shared';
import type { Command } from 'commander';
import { UsageError } from '../base/fault.ts';
import { print } from '../base/usage.ts';
import { type Change, compareSchemas, nearestTo, otherwiseInWords } from '../schemas/compare.ts';
import { loadSchema } from '../schemas/schema-file.ts';
import { table } from './table.ts';

interface SchemaOptions {
  readonly schema: string;
  readonly against?: readonly string[];
  readonly accept?: boolean;
  readonly document?: boolean;
  readonly json?: boolean;
}

/** A metric's row: its settings, and what its integers spend. */
function row({ budget, metrics }: SchemaDocument, { metric, times, charge }: Charge, hasStandIn: boolean): readonly string[] {
  const { law, every, otherwise } = metrics[metric] as MetricDocument;
  const { report, permanent } = mechanismOf(law).odds(law);
  const epoch = permanent ? lnUp(permanent) : '';
  const standIn = otherwise === undefined ? '' : otherwiseInWords(otherwise);
  const bytes = `${mechanismOf(law).reportBytes(law)}`;
  const cells = [metric, law.mechanism, bytes, every, ...(hasStandIn ? [standIn] : [])];
  return [...cells, lnUp(report), epoch, `${times}`, `${charge} / ${budget.per}`];
}

function describe(document: SchemaDocument, sha256: string): string {
  const { metrics, budget, assign } = document;
  const charges = chargesOf(metrics, budget.per);
  const hasStandIn = Object.values(metrics).some(({ otherwise }) => otherwise !== undefined);
  const heading = [
    'metric',
    'mechanism',
    'bytes',
    'every',
    ...(hasStandIn ? ['otherwise'] : []),
    'ε a report',
    'ε an epoch',
    'times',
    'charge',
  ];
  const sum = sumOf(charges.map(({ charge }) => charge));
  const part = assign ? `; assign ${assign}: each device answers metrics that fit the budget together` : '';
  return [
    `schema       ${wireName(document)}`,
    `fingerprint  ${sha256}`,
    `charges      ${sum}${assign ? ' in all, budget' : ' of'} ${budget.epsilon} per ${budget.per}${part}`,
    `reports      ${document.reports}`,
    '',
    table(
      heading,
      charges.map((charge) => row(document, charge, hasStandIn)),
    ),
    '',
    canonicalSchema(document),
  ].join('\n');
}

/** The changes since the versions in some files. */
async function changesSince(files: readonly string[], document: SchemaDocument): Promise<readonly Change[]> {
  const versions: SchemaDocument[] = [];
  for (const file of files) versions.push(await loadSchema(file, '--against'));
  versions.sort((a, b) => b.version - a.version);
  const before = versions.find(({ app }) => app !== document.app) ?? nearestTo(document, versions);
  return before === undefined ? [] : compareSchemas(before, document);
}

/** The verdict on each change, a line each. */
export function verdictsOf(changes: readonly Change[], accept: boolean): readonly string[] {
  const verdictOf = (change: Change): string =>
    !change.allowed ? 'REFUSED ' : change.spends === undefined ? 'allowed ' : accept ? 'accepted' : 'SPENDS  ';
  const verdicts = changes.map((change) => `${verdictOf(change)} ${change.what}`);
  const isOpen = !accept && changes.some(({ spends }) => spends);
  return isOpen ? [...verdicts, 'devices would spend ε again: undo it, or say --accept'] : verdicts;
}

async function schema(options: SchemaOptions): Promise<void> {
  const { schema: file, against, accept = false, json } = options;
  if (options.document && (json || against !== undefined))
    throw new UsageError(`--document: expected neither --json nor --against beside it, got ${json ? '--json' : '--against'}`);
  const document = await loadSchema(file);
  if (options.document) return void process.stdout.write(`${canonicalSchema(document)}\n`);
  const sha256 = await fingerprint(canonicalSchema(document));
  const changes = against && (await changesSince(against, document));
  const allowed = changes?.every((change) => change.allowed && (accept || change.spends === undefined));
  const value = {
    schema: wireName(document),
    checksum: wireName(document).split('/')[2],
    fingerprint: sha256,
    charges: chargesOf(document.metrics, document.budget.per),
    document,
    ...(changes && { changes, accepted: accept, allowed }),
  };
  const verdicts = verdictsOf(changes ?? [], accept);
  print(json, value, () =>
    [describe(document, sha256), ...(changes ? ['', ...(verdicts.length > 0 ? verdicts : ['nothing changed'])] : [])].join('\n'),
  );
  if (allowed === false) process.exitCode = 1;
}

export function addSchema(program: Command): void {
  program
    .command('schema')
    .description("print a schema's canonical JSON, names and charges")
    .requiredOption('--schema <file>', 'a schema module or canonical JSON')
    .option('--against <file...>', 'the versions before it that devices had: print what changed, and whether it is allowed')
    .option('--accept', 'accept changes that make devices spend ε again, such as a new law for a permanent metric')
    .option('--document', 'print the canonical JSON alone, which every --schema takes in place of the module')
    .option('--json', 'print one JSON document on standard output')
    .action(schema);
}
