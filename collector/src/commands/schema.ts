/** `murmuration schema`: a schema's canonical JSON, its names, its charges; and whether it may follow another. */

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
import { compareSchemas } from '../compare.ts';
import { loadSchema } from '../schema-file.ts';
import { table } from './table.ts';
import { print } from './usage.ts';

interface SchemaOptions {
  readonly schema: string;
  readonly against?: string;
  readonly json?: boolean;
}

/** A metric's row: what was asked, and what the integers spend. */
function row({ budget, metrics }: SchemaDocument, { metric, times, charge }: Charge): readonly string[] {
  const document = metrics[metric] as MetricDocument;
  const { report, permanent } = mechanismOf(document.law).odds(document.law);
  return [
    metric,
    document.law.mechanism,
    document.every,
    lnUp(report),
    permanent ? lnUp(permanent) : '',
    `${times}`,
    `${charge} / ${budget.per}`,
  ];
}

function describe(document: SchemaDocument, sha256: string): string {
  const charges = chargesOf(document.metrics, document.budget.per);
  const heading = ['metric', 'mechanism', 'every', 'ε a report', 'ε an epoch', 'times', 'charge'];
  return [
    `schema       ${wireName(document)}`,
    `fingerprint  ${sha256}`,
    `charges      ${sumOf(charges.map(({ charge }) => charge))} of ${document.budget.epsilon} per ${document.budget.per}`,
    '',
    table(
      heading,
      charges.map((charge) => row(document, charge)),
    ),
    '',
    canonicalSchema(document),
  ].join('\n');
}

async function schema({ schema: file, against, json }: SchemaOptions): Promise<void> {
  const document = await loadSchema(file);
  const sha256 = await fingerprint(canonicalSchema(document));
  const changes = against === undefined ? undefined : compareSchemas(await loadSchema(against), document);
  const allowed = changes?.every((change) => change.allowed);
  const value = {
    schema: wireName(document),
    checksum: wireName(document).split('/')[2],
    fingerprint: sha256,
    charges: chargesOf(document.metrics, document.budget.per),
    document,
    ...(changes && { changes, allowed }),
  };
  const verdicts = changes?.map((change) => `${change.allowed ? 'allowed ' : 'REFUSED '} ${change.what}`) ?? [];
  print(json, value, () =>
    [describe(document, sha256), ...(changes ? ['', ...(verdicts.length > 0 ? verdicts : ['nothing changed'])] : [])].join('\n'),
  );
  if (allowed === false) process.exitCode = 1;
}

export function addSchema(program: Command): void {
  program
    .command('schema')
    .description("show a schema's canonical JSON, names and charges")
    .requiredOption('--schema <file>', 'a schema module or canonical JSON')
    .option('--against <file>', 'the schema that it follows: tells what changed and whether it is allowed')
    .option('--json', 'one JSON document on standard output')
    .action(schema);
}
