/** `murmuration schemas`: publishes and retires schemas. A running collector takes changes up within a second. */

import { statSync } from 'node:fs';
import { dayText, type SchemaDocument } from '@murmuration/shared';
import type { Command } from 'commander';
import { print } from '../base/usage.ts';
import { wireNameOf } from '../schemas/catalog.ts';
import { loadSchema } from '../schemas/schema-file.ts';
import { COMMAND_LINE, SCHEMAS_SINCE } from '../storage/admin/database.ts';
import { listSchemas, publishSchemas, retireSchema } from '../storage/admin/published.ts';
import { openTallies } from '../storage/tallies.ts';
import { type AdminPlace, backendOf, readExistingAdmin, withAdmin } from './admin.ts';
import { verdictsOf } from './schema.ts';
import { storeCommand } from './stored-options.ts';
import { table } from './table.ts';

interface Options extends AdminPlace {
  readonly accept?: boolean;
  readonly json?: boolean;
}

async function publish(files: readonly string[], options: Options): Promise<void> {
  const { accept = false, json } = options;
  const documents: SchemaDocument[] = [];
  for (const file of files) documents.push(await loadSchema(file, 'schemas publish'));
  const { publications, done } = await withAdmin(options, (database) => publishSchemas(database, COMMAND_LINE, documents, accept));
  print(json, { published: done, accepted: accept, schemas: publications }, () =>
    publications
      .flatMap(({ schema, changes, isKnown }) => [
        `${isKnown ? 'published already:' : done ? 'published' : 'NOT published'} ${schema}`,
        ...verdictsOf(changes, accept),
      ])
      .join('\n'),
  );
  if (!done) process.exitCode = 1;
}

const day = (number: number | undefined): string | null => (number === undefined ? null : dayText(number));

async function list(options: Options): Promise<void> {
  const { json } = options;
  const all = (await readExistingAdmin(options, SCHEMAS_SINCE, listSchemas)).map(({ schema, published, retired }) => {
    return { schema, published: day(published), retired: day(retired) };
  });
  print(json, { schemas: all }, () =>
    table(
      ['schema', 'published', 'retired'],
      all.map(({ schema, published, retired }) => [schema, published ?? '', retired ?? '']),
    ),
  );
}

/** Wire names of the schemas that the store has reports of; none without a store. */
async function reportedIn(options: Options): Promise<readonly string[]> {
  if (!backendOf(options).mayHaveStore()) return [];
  const { sourceOf } = await import('./stored.ts'); // loads long, and no other command here needs it
  const tallies = openTallies(await sourceOf(options));
  try {
    return [...new Set((await tallies.totals()).map(({ schema }) => schema))];
  } finally {
    await tallies.close();
  }
}

async function retire(which: string, options: Options): Promise<void> {
  const { json } = options;
  const schema = statSync(which, { throwIfNoEntry: false })?.isFile() ? wireNameOf(await loadSchema(which, 'schemas retire')) : which;
  const reported = schema.split('/').length === 2 ? await reportedIn(options) : []; // a whole name needs no list
  const retired = await withAdmin(options, (database) => retireSchema(database, COMMAND_LINE, schema, reported));
  print(json, { retired }, () => `retired ${retired}: devices that ask it are told to stop, and what they reported stays readable`);
}

export function addSchemas(program: Command): void {
  const schemas = program.command('schemas').description('publish and retire schemas; a running collector takes changes up');
  const add = (name: string, description: string): Command => storeCommand(schemas, name, description);
  add('publish', 'publish schemas, all of them or none; exit code 1 when a change is not allowed or not accepted')
    .argument('<file...>', 'schema modules or canonical JSON')
    .option('--accept', 'accept changes that make devices spend more ε, or spend it again')
    .action(publish);
  add('list', 'list what was published and retired').action(list);
  add('retire', 'retire a schema for ever: devices stop asking it')
    .argument('<schema>', 'a published one, or one with reports, as app/version; any as app/version/checksum, or its file')
    .action(retire);
}
