/** Options that select metrics of a store. They are apart from what reads it (stored.ts), which takes long to load. */

import type { Command } from 'commander';
import { UsageError } from '../base/usage.ts';
import { addPostgres } from './postgres-option.ts';

/** What is selected. */
export interface StoredOptions {
  readonly schema?: string[];
  readonly data: string;
  readonly postgres?: string;
  readonly app?: string;
  readonly metric?: string;
  readonly from?: string;
  readonly to?: string;
  readonly segment: { readonly [name: string]: string };
}

function segmentOption(text: string, before: StoredOptions['segment']): StoredOptions['segment'] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--segment: expected name=value, got ${JSON.stringify(text)}`);
  return { ...before, [name]: value };
}

/** Adds the options. */
export const addStored = (command: Command): Command =>
  addPostgres(command)
    .option('--schema <file...>', 'schema modules or canonical JSON (default: those that schemas publish has put into the folder)')
    .option('--data <folder>', 'the folder of the store', '.data')
    .option('--app <app>', 'metrics of this app only')
    .option('--metric <metric>', 'this metric only')
    .option('--from <day>', 'first day, such as 2026-11-01')
    .option('--to <day>', 'last day')
    .option('--segment <name=value>', 'reports of this segment only; may be repeated', segmentOption, {});
