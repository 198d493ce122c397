/** `--postgres URL`: the store is in a database instead of a folder. Its modules are loaded only where the option is used. */

import type { Command } from 'commander';
import { checkUrl } from '../store/postgres/url.ts';
import { UsageError } from './usage.ts';

/** Parses the URL. Its text may hold a password, so no message has it. */
function urlOption(text: string): string {
  try {
    checkUrl(text);
    return text;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Adds the option. */
export const addPostgres = (command: Command): Command =>
  command.option('--postgres <url>', 'a PostgreSQL database for the store, instead of the folder', urlOption);
