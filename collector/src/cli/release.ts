/** `murmuration release`: answers about participation that may leave the team, each charged to a budget. */

import type { Command } from 'commander';
import { RAW_OPTION } from '../base/csv.ts';
import { print, wholeOption } from '../base/usage.ts';
import { type CostText, override } from '../release/budget/budgets.ts';
import { valueOption } from '../release/measures/share.ts';
import { KINDS, kindOf } from '../release/measures/table.ts';
import { COMMAND_LINE } from '../storage/admin/database.ts';
import type { Entry, Wanted } from '../storage/release-ledger.ts';
import type { AdminPlace } from './admin.ts';
import { ask } from './release-ask.ts';
import { colludersOption, setBudgets, showBudgets, withLedger } from './release-budget.ts';
import { estimates } from './release-estimates.ts';
import { addStreams } from './release-stream.ts';
import { addStored, EXCLUDE_OPTION, storeCommand } from './stored-options.ts';
import { table } from './table.ts';

interface ListOptions extends AdminPlace {
  readonly app?: string;
  readonly analyst?: string;
  readonly json?: boolean;
}

interface OverrideOptions extends AdminPlace {
  readonly reason: string;
  readonly json?: boolean;
}

/** Summary of an entry, in a few words. */
function wordsOf({ kind, body, question }: Entry): string {
  if (kind === 'override' || kind === 'stream-end') return String(body);
  const { cost, unit, amount, limit, charge, value, shared } = body as {
    readonly cost?: CostText;
    readonly unit?: string;
    readonly amount?: string;
    readonly limit?: { readonly unit: string; readonly amount: string };
    readonly charge?: number;
    readonly value?: string;
    readonly shared?: number;
  };
  if (kind === 'table') return `${limit?.unit} ${limit?.amount}`;
  if (kind === 'budget') return `${unit} ${amount}`;
  if (kind === 'answer' || kind === 'stream') return `for charge ${charge}`;
  if (kind === 'charge')
    return `${cost?.epsilon === undefined ? `rho ${cost?.rho}` : `epsilon ${cost.epsilon}`}${shared === undefined ? '' : `, once for all charges of ${shared}`}`;
  const [, stream] = question.split(' '); // without the hash of the conditions
  return `stream ${stream}: ${value?.trim()}`;
}

const list = (options: ListOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const { app, analyst, json } = options;
    const wanted: Wanted = { ...(app !== undefined && { app }), ...(analyst !== undefined && { analyst }) };
    const entries = await ledger.transact((transaction) => transaction.find(wanted));
    print(json, { entries }, () =>
      table(
        ['at', 'n', 'kind', 'app', 'analyst', 'what'],
        entries.map((entry) => [entry.at, `${entry.n}`, entry.kind, entry.app, entry.analyst, wordsOf(entry)]),
      ),
    );
  });

const goOn = (options: OverrideOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const entry = await override(ledger, COMMAND_LINE, options.reason);
    print(options.json, entry, () => `entry ${entry.n}: ${String(entry.body)}`);
  });

export function addRelease(program: Command): void {
  const release = program.command('release').description('answers about participation that may leave the team, charged to a budget');
  const budget = release.command('budget').description('what may be spent, for each day of a table');
  storeCommand(budget, 'set', 'set what the table of an app may lose, or with --analyst what an analyst may spend on it')
    .requiredOption('--app <app>', 'the app')
    .option('--analyst <name>', 'the name of a token or user')
    .option('--epsilon <amount>', 'pure differential privacy: 0.5 or 1/3')
    .option('--rho <amount>', 'zero-concentrated differential privacy, for many small questions')
    .option('--colluders <n>', 'of a table: how many analysts may put their answers together (default: all)', colludersOption)
    .option('--batches-per-day <n>', "of a table: the app's batchesPerDay (default: 8)", wholeOption('--batches-per-day', 1, 1_000))
    .action(setBudgets);
  storeCommand(budget, 'show', 'what may be spent, and what was spent of it').requiredOption('--app <app>', 'the app').action(showBudgets);
  const asking = storeCommand(
    release,
    'ask',
    'answer a question; the same question of the same analyst gets the stored answer and costs nothing',
  )
    .requiredOption('--analyst <name>', 'whose budget is charged')
    .option('--schema <file...>', 'schema modules or canonical JSON, besides those that schemas publish has put into the folder')
    .option('--question <file>', 'a question as JSON, in place of the options below')
    .option('--app <app>', 'the app')
    .option('--from <day>', 'first day, such as 2026-11-01')
    .option('--to <day>', 'last day (default: that of --from)')
    .option(...EXCLUDE_OPTION)
    .option('--where <column=value>', 'only reports with this value; may be repeated', valueOption('--where'), {})
    .option('--group-by <column...>', 'one number for each value of these columns');
  for (const [flags, description, read] of KINDS.flatMap((kind) => kindOf(kind).options())) {
    if (read) asking.option(flags, description, read as (text: string, before: unknown) => unknown);
    else asking.option(flags, description);
  }
  asking
    .option(
      '--about <n>',
      'of --synthetic, --association and --share: how many reports you expect, for a share in each group; the error is stated for it',
      wholeOption('--about', 1),
    )
    .option('--out <file>', 'also write the numbers to a file, as CSV')
    .option(...RAW_OPTION)
    .option('--epsilon <amount>', 'what the answer costs each device-day: 0.1 or 1/3')
    .option('--rho <amount>', 'of --count, --sum, --share and --days, in place of --epsilon: the cost to budgets in ρ, with less noise')
    .option('--again', 'pay for a new answer, even if there is a stored one')
    .option('--preview', 'say what the answer would cost and how far it would be off, and spend nothing')
    .action(ask);
  addStored(release.command('estimates'))
    .description('the estimates of a metric beside a released number of reports, with the error that this number gives')
    .requiredOption('--analyst <name>', 'whose budget is charged for the number of reports')
    .option('--epsilon <amount>', 'what the number of reports costs each device-day')
    .option('--rho <amount>', 'in place of --epsilon: the cost to budgets in ρ, with less noise')
    .option('--minimum <n>', 'no estimates where fewer reports than this are released', wholeOption('--minimum', 1), 20)
    .option('--json', 'print one JSON document on standard output')
    .action(estimates);
  addStreams(release);
  storeCommand(release, 'list', 'the ledger: budgets, charges, answers, streams and overrides')
    .option('--app <app>', 'only of this app')
    .option('--analyst <name>', 'only of this analyst')
    .action(list);
  storeCommand(release, 'override', 'go on after a restore, although the ledger may have lost charges; it is logged')
    .requiredOption('--reason <text>', 'why')
    .action(goOn);
}
