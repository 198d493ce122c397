/** Options that select metrics of a store. They are apart from what reads it (stored.ts), which takes long to load. */

import { type Command, Option } from 'commander';
import { UsageError } from '../base/fault.ts';
import { checkUrl } from '../storage/postgres/connection.ts';

/** Selection by options. */
export interface StoredOptions {
  readonly schema?: string[];
  readonly data: string;
  readonly postgres?: string;
  readonly app?: string;
  readonly metric?: string;
  readonly from?: string;
  readonly to?: string;
  readonly exclude?: string;
  readonly segment: { readonly [name: string]: string };
}

function segmentOption(text: string, before: StoredOptions['segment']): StoredOptions['segment'] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--segment: expected name=value, got ${JSON.stringify(text)}`);
  return { ...before, [name]: value };
}

/** Days that a question leaves out. */
export const EXCLUDE_OPTION = ['--exclude <days>', 'days to leave out, such as 2026-11-08,2026-11-09'] as const;

/** Adds the options. */
export const addStored = (command: Command): Command =>
  addPostgres(command)
    .option('--schema <file...>', 'schema modules or canonical JSON (default: those that schemas publish has put into the folder)')
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--app <app>', 'metrics of this app only')
    .option('--metric <metric>', 'this metric only')
    .option('--from <day>', 'first day, such as 2026-11-01')
    .option('--to <day>', 'last day')
    .option(...EXCLUDE_OPTION)
    .option('--segment <name=value>', 'reports of this segment only; may be repeated', segmentOption, {});

// `--postgres URL`: the store is in a database instead of a folder. Its modules are loaded only where the option is used.

/** Parses the URL. Its text may hold a password, so no message has it. */
function urlOption(text: string): string {
  try {
    checkUrl(text);
    return text;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Adds the option. Every command takes it from the environment, too, because the system shows command lines to all of its users. */
export const addPostgres = (command: Command): Command =>
  command.addOption(
    new Option('--postgres <url>', 'a PostgreSQL database for the store, instead of the folder')
      .env('MURMURATION_POSTGRES')
      .argParser(urlOption),
  );

/** Adds a command on a store as a whole: on its keys, its roles, its schemas or its releases. */
export const storeCommand = (parent: Command, name: string, description: string): Command =>
  addPostgres(parent.command(name))
    .description(description)
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--json', 'print one JSON document on standard output');
