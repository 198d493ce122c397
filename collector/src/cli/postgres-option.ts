/** `--postgres URL`: the store is in a database instead of a folder. Its modules are loaded only where the option is used. */

import { type Command, Option } from 'commander';
import { UsageError } from '../base/usage.ts';
import { checkUrl } from '../storage/postgres/connection.ts';

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
